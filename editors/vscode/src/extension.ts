// The extension's two ends: what is there from its activation until the window closes.

import * as vscode from 'vscode';

import { register } from './commands';
import { Explanations } from './explain';
import { GraphPanel } from './graph';
import { Session } from './session';
import { StatusBar } from './status';
import { StackTree } from './tree';

let session: Session | undefined;

/** What the extension shows, for its tests. */
export interface Shown {
  status: vscode.StatusBarItem;
  tree: StackTree;
  /** Whether a server is running. */
  isRunning(): boolean;
}

export function activate(context: vscode.ExtensionContext): Shown {
  const started = new Session(context);
  session = started;
  const status = new StatusBar(started);
  const tree = new StackTree(started);
  const explanations = new Explanations();
  const graph = new GraphPanel(vscode.Uri.joinPath(context.extensionUri, 'icon.png'));
  context.subscriptions.push(
    started,
    status,
    tree,
    explanations,
    graph,
    ...register({ context, session: started, tree, explanations, graph }),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('gantrycd.server.path')) {
        void started.startIfOther();
      }
    }),
    // what a workspace says of the server counts from now on
    vscode.workspace.onDidGrantWorkspaceTrust(() => void started.startIfOther().then(() => started.tellSettings())),
  );
  void started.start();
  return { status: status.item, tree, isRunning: () => started.running !== undefined };
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
