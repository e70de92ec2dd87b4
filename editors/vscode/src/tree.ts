// The view of stacks, claims, duplicates and dependencies. The server knows what stands below a node;
// here it is drawn.

import * as vscode from 'vscode';

import * as protocol from './protocol';
import type { Session } from './session';

/** Many changes come together; the view follows when it is quiet, in milliseconds. */
const QUIET = 300;

/** A line, and where it stands in the tree. */
export interface Node {
  readonly item: protocol.Item;
  /** One and the same thing may stand in several places. */
  readonly path: string;
}

const ICONS: Record<string, [icon: string, color?: string]> = {
  workspace: ['root-folder'],
  duplicates: ['copy'],
  duplicate: ['copy', 'list.errorForeground'],
  'ending-duplicate': ['copy', 'list.deemphasizedForeground'],
  stacks: ['layers'],
  stack: ['package'],
  'unreadable-stack': ['package', 'list.warningForeground'],
  claims: ['key'],
  others: ['circle-slash'],
  resource: ['symbol-object'],
  'duplicate-resource': ['symbol-object', 'list.errorForeground'],
  'data-source': ['eye'],
  'reads-from': ['arrow-right'],
  'read-by': ['arrow-left'],
  page: ['ellipsis'],
};

export class StackTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly parts: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private shown: number | undefined;

  constructor(private readonly session: Session) {
    this.view = vscode.window.createTreeView('gantrycd.stacks', { treeDataProvider: this, showCollapseAll: true });
    this.parts = [
      this.view,
      this.changed,
      session.onDidChange(() => {
        this.shown = undefined;
        this.view.badge = undefined;
        this.refresh();
      }),
      session.onStatus(it => this.follow(it)),
    ];
  }

  private follow(status: protocol.Status): void {
    const { duplicates } = status;
    this.view.badge =
      duplicates > 0 ? { value: duplicates, tooltip: `${duplicates} duplicate${duplicates === 1 ? '' : 's'}` } : undefined;
    if (status.tree !== this.shown) {
      this.shown = status.tree;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refresh(), QUIET);
    }
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  async getChildren(parent?: Node): Promise<Node[]> {
    const client = this.session.running;
    if (client === undefined) {
      return [];
    }
    const id = parent?.item.id;
    let items: protocol.Item[];
    try {
      items = await client.sendRequest(protocol.tree, id == null ? {} : { node: id });
    } catch (error) {
      // the server has ended meanwhile, or knows no tree; whatever comes next is drawn anew
      this.session.log.warn(`the tree of stacks: ${(error as Error).message}`);
      return [];
    }
    const seen = new Map<string, number>();
    return items.map(item => {
      const name = item.id ?? item.label;
      const times = seen.get(name) ?? 0;
      seen.set(name, times + 1);
      return { item, path: `${parent?.path ?? ''}\n${name}${times > 0 ? ` ${times}` : ''}` };
    });
  }

  getTreeItem({ item, path }: Node): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const line = new vscode.TreeItem(item.label, item.hasChildren ? (item.isOpen ? Expanded : Collapsed) : None);
    const [icon, color] = ICONS[item.kind] ?? ['circle-outline'];
    line.id = path;
    line.description = item.description;
    line.tooltip = item.tooltip === '' ? item.label : item.tooltip;
    line.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
    line.contextValue = [item.kind, ...(item.location === null ? [] : ['located'])].join(' ');
    if (item.location !== null && !item.hasChildren) {
      line.command = { command: 'gantrycd.tree.open', title: 'Go to Source', arguments: [{ item, path }] };
    }
    return line;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.parts.forEach(it => void it.dispose());
  }
}
