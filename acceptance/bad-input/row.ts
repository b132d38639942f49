import type { Answer, Call } from '../client.ts';
import type { Body } from '../shapes.ts';
import type { RouteName } from './routes.ts';

type Headers = Record<string, string>;

/** How a right request is changed: its body, or its body's bytes, and what stands in place of its headers or path. */
export interface Change {
  body?: (right: Body) => unknown;
  text?: (right: string) => string | Uint8Array<ArrayBuffer> | ReadableStream;
  headers?: (right: Headers) => Headers;
  query?: string;
}

export interface TypedField {
  name: string;
  type: string;
}

/** What every row finds: a community of its own, keys, and tokens that may be claimed, burnt and added to. */
export interface Scene {
  communityId: string;
  key: string;
  otherKey: string;
  revokedKey: string;
  operatorKey: string;
  openTokenId: number;
  allowlistedTokenId: number;
  /** Sends a right request of this route, changed in one thing. */
  send(route: RouteName, change: Change): Promise<Answer>;
  /** Sends a creation of this body, signed after it was changed. */
  create(changes: Body): Promise<Answer>;
  /** Sends a right creation that was signed in a changed domain, or with changed fields of the type `Badge`. */
  createSignedFor(domain: Body, change?: (badge: TypedField[]) => TypedField[]): Promise<Answer>;
  call(path: string, call?: Call): Promise<Answer>;
  /** Writes these bytes to a connection of their own. */
  write(request: string | Uint8Array): Promise<Answer>;
}

/** One bad request, or one that only looks bad. */
export interface Row {
  /** The method and the path, as the interface names them. */
  call: string;
  case: string;
  /** Status, error name, and the places that `errors` names: `400 InvalidRequest /headline ?limit`. */
  answer: string;
  why: string;
  send(scene: Scene): Promise<Answer>;
}

export interface Family {
  title: string;
  rows: Row[];
}
