// What can be done from the command palette and the views.

import * as vscode from 'vscode';
import type { Location, Position } from 'vscode-languageclient/node';

import type { Explanations } from './explain';
import type { GraphPanel } from './graph';
import type { Explanation, Graph } from './protocol';
import type { Session } from './session';
import type { Node, StackTree } from './tree';

const UNREACHED = 'declaration-does-not-reach';

export interface Parts {
  context: vscode.ExtensionContext;
  session: Session;
  tree: StackTree;
  explanations: Explanations;
  graph: GraphPanel;
}

export function register(parts: Parts): vscode.Disposable[] {
  const { context, session, tree } = parts;
  const commands: Record<string, (...args: never[]) => unknown> = {
    'gantrycd.restartServer': () => session.start(),
    'gantrycd.showLog': () => session.log.show(),
    'gantrycd.showWalkthrough': () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#start`, false),
    'gantrycd.showFindings': () => vscode.commands.executeCommand('workbench.actions.view.problems'),
    'gantrycd.refreshState': () => refreshState(session),
    'gantrycd.openGraph': () => openGraph(parts),
    'gantrycd.explainResource': () => explainAtCursor(parts),
    'gantrycd.explainSubject': (subject?: string) => explainSubject(parts, subject),
    'gantrycd.ignoreUnreached': () => ignoreUnreached(),
    'gantrycd.showReferences': (uri: string, at: Position, places: Location[]) =>
      showReferences(session, uri, at, places),
    'gantrycd.tree.refresh': () => tree.refresh(),
    'gantrycd.tree.open': (node: Node) => openNode(session, node),
    'gantrycd.tree.explain': (node: Node) => explainNode(parts, node),
  };
  return Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run));
}

/** Says that the server cannot do something, unless it can. */
function can(session: Session, command: string, what: string): boolean {
  if (session.offers(command)) {
    return true;
  }
  const { being } = session;
  void vscode.window.showWarningMessage(
    being.is === 'running'
      ? `gantrycd: this server (version ${being.version}) cannot ${what} yet.`
      : `gantrycd: the server is not running, and so cannot ${what}.`,
  );
  return false;
}

async function refreshState(session: Session): Promise<void> {
  if (can(session, 'gantrycd.refresh', 'refresh cached states')) {
    await session.execute('gantrycd.refresh');
  }
}

async function openGraph({ session, graph }: Parts): Promise<void> {
  if (can(session, 'gantrycd.showGraph', 'draw the stack graph')) {
    const answer = await session.execute<Graph>('gantrycd.showGraph', { format: 'html', open: false });
    if (answer?.format === 'html') {
      graph.show(answer);
    }
  }
}

async function explain({ session, explanations }: Parts, asked: { subject: string } | { uri: string; position: Position }): Promise<void> {
  if (can(session, 'gantrycd.explain', 'explain resources')) {
    const answer = await session.execute<Explanation>('gantrycd.explain', asked);
    if (answer) {
      await explanations.show(answer);
    }
  }
}

async function explainAtCursor(parts: Parts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.uri.scheme !== 'file') {
    void vscode.window.showInformationMessage('gantrycd: put the cursor into a resource, and ask again.');
    return;
  }
  const converter = parts.session.running?.code2ProtocolConverter;
  if (converter !== undefined) {
    const position = converter.asPosition(editor.selection.active);
    await explain(parts, { uri: converter.asUri(editor.document.uri), position });
  } else {
    can(parts.session, 'gantrycd.explain', 'explain resources');
  }
}

async function explainSubject(parts: Parts, given?: string): Promise<void> {
  const subject =
    given ??
    (await vscode.window.showInputBox({
      title: 'Explain a Resource',
      prompt: 'An address (STACK/ADDRESS of one stack), an ARN, a declared id, or FILE:LINE',
      placeHolder: 'aws_sqs_queue.orders',
    }));
  if (subject !== undefined && subject.trim() !== '') {
    await explain(parts, { subject: subject.trim() });
  }
}

async function explainNode(parts: Parts, { item }: Node): Promise<void> {
  if (item.location !== null) {
    await explain(parts, { uri: item.location.uri, position: item.location.range.start });
  }
}

/** Makes the fix that ignores every resource of the open file that a declaration does not reach. */
async function ignoreUnreached(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = editor?.document;
  const unreached = document && vscode.languages.getDiagnostics(document.uri).filter(it => codeOf(it) === UNREACHED);
  const first = unreached?.[0];
  if (document === undefined || first === undefined) {
    void vscode.window.showInformationMessage('gantrycd: the declarations of default_tags reach every resource of this file.');
    return;
  }
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    first.range,
    vscode.CodeActionKind.QuickFix.value,
    20,
  );
  // where it is one resource, there is no fix for all
  const named = (start: string) => actions.find(it => it.title.startsWith(start) && it.edit !== undefined);
  const fix = named('Ignore all ') ?? named('Ignore ');
  if (fix?.edit === undefined || !(await vscode.workspace.applyEdit(fix.edit))) {
    void vscode.window.showWarningMessage('gantrycd: the file has changed meanwhile; ask again.');
  }
}

function codeOf(diagnostic: vscode.Diagnostic): unknown {
  const { code } = diagnostic;
  return typeof code === 'object' ? code.value : code;
}

async function showReferences(session: Session, uri: string, at: Position, places: Location[]): Promise<void> {
  const converter = session.running?.protocol2CodeConverter;
  if (converter !== undefined) {
    await vscode.commands.executeCommand(
      'editor.action.showReferences',
      converter.asUri(uri),
      converter.asPosition(at),
      places.map(it => converter.asLocation(it)),
    );
  }
}

async function openNode(session: Session, { item }: Node): Promise<void> {
  const converter = session.running?.protocol2CodeConverter;
  if (item.location !== null && converter !== undefined) {
    const { uri, range } = converter.asLocation(item.location);
    const start = new vscode.Range(range.start, range.start);
    await vscode.window.showTextDocument(uri, { selection: start });
  }
}
