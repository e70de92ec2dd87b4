// What the server says beyond the language server protocol: src/server/{status,tree,explain}.rs.

import { type Location, NotificationType, RequestType } from 'vscode-languageclient/node';

/** What the whole workspace comes to. */
export interface Status {
  stacks: number;
  /** Objects that several addresses claim. */
  duplicates: number;
  /** When the oldest of the cached states was written, in seconds since 1970. */
  oldestState: number | null;
  /** States that could not be read. */
  unreadable: number;
  /** Whether there are states still to be read. */
  loading: boolean;
  errors: number;
  warnings: number;
  /** Another number whenever the tree may be another. */
  tree: number;
}

export const status = new NotificationType<Status>('gantrycd/status');

/** A line of the tree of stacks. */
export interface Item {
  /** By which its children are asked for; null where there are none. */
  id: string | null;
  label: string;
  description: string;
  tooltip: string;
  kind: string;
  location: Location | null;
  hasChildren: boolean;
  /** Whether it is open from the start. */
  isOpen: boolean;
}

export const tree = new RequestType<{ node?: string }, Item[], void>('gantrycd/tree');

/** What `gantrycd.explain` answers. */
export type Explanation = { title: string; text: string; root: string | null } | { why: string };

/** What `gantrycd.showGraph` answers. */
export interface Graph {
  format: string;
  text: string;
}
