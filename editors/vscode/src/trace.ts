// The log, as the language client wants it for what is said between it and the server.

import * as vscode from 'vscode';

/**
 * Has the setting alone decide what is logged: by itself, the client would log nothing unless the
 * level of the whole log is lowered too.
 */
export function traced(log: vscode.LogOutputChannel): vscode.LogOutputChannel & vscode.Disposable {
  const level = () => {
    const setting = vscode.workspace.getConfiguration('gantrycd').get<string>('trace.server', 'off');
    return setting === 'off' ? vscode.LogLevel.Off : vscode.LogLevel.Trace;
  };
  const changed = new vscode.EventEmitter<vscode.LogLevel>();
  const listening = vscode.workspace.onDidChangeConfiguration(event => {
    if (event.affectsConfiguration('gantrycd.trace.server')) {
      changed.fire(level());
    }
  });
  return Object.create(log, {
    logLevel: { get: level },
    onDidChangeLogLevel: { value: changed.event },
    trace: { value: (said: string) => log.info(said) },
    dispose: { value: () => vscode.Disposable.from(listening, changed).dispose() },
  });
}
