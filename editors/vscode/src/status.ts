// The status bar: how many stacks and duplicates there are, and how old the oldest state is.

import * as vscode from 'vscode';

import type { Status } from './protocol';
import type { Being, Session } from './session';

/** How often an age is looked at again, in milliseconds. */
const MINUTE = 60_000;

export class StatusBar implements vscode.Disposable {
  readonly item = vscode.window.createStatusBarItem('gantrycd.status', vscode.StatusBarAlignment.Left, 10);
  private status: Status | undefined;
  private readonly parts: vscode.Disposable[];

  constructor(private readonly session: Session) {
    this.item.name = 'gantrycd';
    const clock = setInterval(() => this.show(), MINUTE);
    this.parts = [
      this.item,
      { dispose: () => clearInterval(clock) },
      session.onDidChange(being => {
        if (being.is !== 'running') {
          this.status = undefined;
        }
        this.show();
      }),
      session.onStatus(status => {
        this.status = status;
        this.show();
      }),
    ];
    this.show();
    this.item.show();
  }

  private show(): void {
    const being = this.session.being;
    this.item.text = text(being, this.status, Date.now());
    this.item.tooltip = tooltip(being, this.status, Date.now());
    const isStopped = being.is === 'stopped';
    this.item.backgroundColor = isStopped ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.command = isStopped ? 'gantrycd.showLog' : 'gantrycd.showFindings';
    this.item.accessibilityInformation = { label: this.item.text.replace(/\$\([^)]*\)\s*/g, '') };
  }

  dispose(): void {
    this.parts.forEach(it => void it.dispose());
  }
}

/** What stands in the bar. `now` is in milliseconds since 1970. */
export function text(being: Being, status: Status | undefined, now: number): string {
  if (being.is === 'stopped') {
    return '$(warning) gantrycd';
  }
  // the first stacks are told when all are read
  if (status === undefined || (status.loading && status.stacks === 0)) {
    return '$(loading~spin) gantrycd';
  }
  const parts = [`${status.loading ? '$(loading~spin)' : '$(layers)'} ${count(status.stacks, 'stack')}`];
  if (status.duplicates > 0) {
    parts.push(`$(copy) ${count(status.duplicates, 'duplicate')}`);
  }
  if (status.unreadable > 0) {
    parts.push(`$(circle-slash) ${status.unreadable} unreadable`);
  }
  if (status.oldestState !== null) {
    parts.push(`$(history) ${age(status.oldestState, now)}`);
  }
  return parts.join('  ');
}

function tooltip(being: Being, status: Status | undefined, now: number): vscode.MarkdownString {
  const page = new vscode.MarkdownString('', true);
  page.isTrusted = {
    enabledCommands: [
      'workbench.actions.view.problems',
      'gantrycd.stacks.focus',
      'gantrycd.openGraph',
      'gantrycd.showLog',
      'gantrycd.restartServer',
    ],
  };
  const line = (it: string) => page.appendMarkdown(`${it}  \n`);
  if (being.is === 'stopped') {
    page.appendText(being.why);
    page.appendMarkdown('\n\n[Try again](command:gantrycd.restartServer) · [Log](command:gantrycd.showLog)');
    return page;
  }
  line(being.is === 'running' ? `**gantrycd** ${being.version}` : '**gantrycd** is starting');
  if (status !== undefined) {
    line(`${count(status.stacks, 'stack')}${status.loading ? ', still reading' : ''}`);
    line(`${count(status.duplicates, 'duplicate')}`);
    line(`${count(status.errors, 'error')}, ${count(status.warnings, 'warning')}`);
    if (status.unreadable > 0) {
      line(`${count(status.unreadable, 'state')} that could not be read`);
    }
    if (status.oldestState !== null) {
      line(`the oldest cached state is ${age(status.oldestState, now)} old`);
    }
  }
  page.appendMarkdown(
    '\n[Problems](command:workbench.actions.view.problems) · [Stacks](command:gantrycd.stacks.focus)' +
      ' · [Graph](command:gantrycd.openGraph) · [Log](command:gantrycd.showLog)',
  );
  return page;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** An age in the largest whole unit, from a time in seconds since 1970. */
export function age(since: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now / 1000 - since) / 60));
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) {
    return `${Math.floor(hours / 24)} d`;
  }
  return minutes >= 120 ? `${hours} h` : `${minutes} min`;
}
