// The server's life: it is looked for, started, restarted, and ends with the window. Everything else
// asks here for whoever is running.

import * as vscode from 'vscode';
import {
  type ConfigurationParams,
  type DocumentSelector,
  ErrorAction,
  LanguageClient,
  type LSPAny,
  RevealOutputChannelOn,
  State,
} from 'vscode-languageclient/node';

import * as protocol from './protocol';
import { find, type Found } from './server';
import { traced } from './trace';

/** What stands in the place of a language server. */
export type Being =
  | { is: 'starting' }
  | { is: 'running'; version: string }
  | { is: 'stopped'; why: string };

const LANGUAGES = ['terraform', 'terraform-vars', 'opentofu', 'opentofu-vars', 'tfvars'];

// with no extension that knows them, such files have no language
const PATTERNS = ['**/*.{tf,tofu,tfvars}', '**/*.{tf,tofu,tfvars}.json', '**/gantrycd.hcl'];

const SELECTOR: DocumentSelector = [
  ...LANGUAGES.map(language => ({ scheme: 'file', language })),
  ...PATTERNS.map(pattern => ({ scheme: 'file', pattern })),
];

export class Session implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('gantrycd', { log: true });
  private readonly trace = traced(this.log);
  private client: LanguageClient | undefined;
  private command: string | undefined;
  private changing: Promise<void> = Promise.resolve();
  private now: Being = { is: 'starting' };
  private readonly changed = new vscode.EventEmitter<Being>();
  private readonly told = new vscode.EventEmitter<protocol.Status>();

  /** Fires whenever the server is something else than it was. */
  readonly onDidChange = this.changed.event;
  /** Fires whenever the server tells what the workspace comes to. */
  readonly onStatus = this.told.event;

  constructor(private readonly context: vscode.ExtensionContext) {}

  get being(): Being {
    return this.now;
  }

  /** The client of a server that is running. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** Whether the running server carries out this command. */
  offers(command: string): boolean {
    return this.running?.initializeResult?.capabilities.executeCommandProvider?.commands.includes(command) ?? false;
  }

  /** Has the server carry out a command. */
  async execute<T>(command: string, ...args: LSPAny[]): Promise<T | undefined> {
    const params = { command, arguments: args };
    return this.running?.sendRequest<T>('workspace/executeCommand', params);
  }

  /** Starts the server, after it was stopped if it runs. One after the other, however often. */
  async start(): Promise<void> {
    this.changing = this.changing.then(() => this.startAnew()).catch((error: unknown) => this.log.error(String(error)));
    return this.changing;
  }

  /** Starts it anew if it is to be another one. */
  async startIfOther(): Promise<void> {
    const found = await this.found();
    const command = found.is === 'there' ? found.command : undefined;
    if (command !== this.command || this.now.is === 'stopped') {
      await this.start();
    }
  }

  /** Has the server ask for the settings again. */
  async tellSettings(): Promise<void> {
    await this.running?.sendNotification('workspace/didChangeConfiguration', { settings: null });
  }

  private async found(): Promise<Found> {
    const setting = vscode.workspace.getConfiguration('gantrycd').get<string>('server.path', '').trim();
    return find({ setting, extension: this.context.extensionPath });
  }

  private async startAnew(): Promise<void> {
    await this.end();
    this.become({ is: 'starting' });
    const found = await this.found();
    if (found.is !== 'there') {
      this.log.error(found.why);
      this.become({ is: 'stopped', why: found.why });
      void this.complain(found.why);
      return;
    }
    this.log.info(`starting ${found.command}, version ${found.version}`);
    this.command = found.command;
    const client = this.create(found.command);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) {
        return;
      }
      switch (newState) {
        case State.Running:
          this.become({ is: 'running', version: found.version });
          break;
        case State.Starting:
          this.become({ is: 'starting' });
          break;
        default:
          this.become({ is: 'stopped', why: 'The server has ended.' });
      }
    });
    client.onNotification(protocol.status, it => this.told.fire(it));
    try {
      await client.start();
    } catch (error) {
      const why = `${found.command} does not start: ${(error as Error).message}`;
      this.log.error(why);
      this.become({ is: 'stopped', why });
    }
  }

  private create(command: string): LanguageClient {
    const client: LanguageClient = new LanguageClient(
      'gantrycd',
      'gantrycd',
      { command, args: ['--stdio'] },
      {
        errorHandler: {
          // of a server that has ended there are two signs, and only its end is one to restart it
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => restarts.closed(),
        },
        documentSelector: SELECTOR,
        // in a workspace that nobody trusts the server runs nothing
        initializationOptions: { trusted: vscode.workspace.isTrusted },
        outputChannel: this.log,
        traceOutputChannel: this.trace,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        middleware: {
          workspace: {
            configuration: async (params: ConfigurationParams, token, next) => {
              const answers = await next(params, token);
              return Array.isArray(answers) ? answers.map(forServer) : answers;
            },
          },
        },
      },
    );
    const restarts = client.createDefaultErrorHandler();
    client.registerFeature({
      fillClientCapabilities: capabilities => {
        capabilities.experimental = { ...(capabilities.experimental as object | undefined), gantrycd: { status: true } };
      },
      initialize: () => {},
      getState: () => ({ kind: 'static' }),
      clear: () => {},
    });
    return client;
  }

  private become(being: Being): void {
    this.now = being;
    void vscode.commands.executeCommand('setContext', 'gantrycd.server', being.is);
    this.changed.fire(being);
  }

  private async complain(why: string): Promise<void> {
    const [settings, install, again] = ['Open Setting', 'How to Install', 'Try Again'];
    switch (await vscode.window.showErrorMessage(why, settings, install, again)) {
      case settings:
        await vscode.commands.executeCommand('workbench.action.openSettings', 'gantrycd.server.path');
        break;
      case install:
        await vscode.commands.executeCommand('gantrycd.showWalkthrough');
        break;
      case again:
        await this.start();
        break;
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.command = undefined;
    if (client !== undefined) {
      await client.dispose().catch((error: unknown) => this.log.warn(String(error)));
    }
  }

  /** Ends the server with the window. */
  async stop(): Promise<void> {
    this.changing = this.changing.then(() => this.end());
    await this.changing;
  }

  dispose(): void {
    this.changed.dispose();
    this.told.dispose();
    this.trace.dispose();
    this.log.dispose();
  }
}

/** The settings without those that are the client's alone. */
function forServer(settings: LSPAny): LSPAny {
  if (settings === null || typeof settings !== 'object' || Array.isArray(settings)) {
    return settings;
  }
  const { server: _, trace: __, ...rest } = settings as Record<string, LSPAny>;
  return { ...rest, trusted: vscode.workspace.isTrusted };
}
