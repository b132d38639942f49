import { IRIS, RDF_TYPE } from './vocabulary.ts';

/**
 * Signed statements cannot be read without a doubt. The message is a sentence without its capital and its
 * full stop.
 */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
}

/**
 * Something that a document says something about. What is read with one of these methods counts as read. A
 * method throws an `UnreadableError` if there are more values than it returns, or values of another kind.
 */
export interface Thing {
  /** Null: it has no identifier. */
  iri: string | null;
  classes: string[];
  /**
   * The text that is the value of a property. Null: there is none. `types`: its types, which are those of
   * texts by default.
   */
  text(property: string, types?: readonly string[]): string | null;
  texts(property: string): string[];
  /** The thing that is the value of one of these properties. Null: there is none. */
  thing(...properties: string[]): Thing | null;
  things(property: string): Thing[];
  /** Counts properties as read, and everything to which they lead. Without an argument: all properties. */
  leaveOut(properties?: readonly string[]): void;
}

/** What a document says. */
export interface Graph {
  /** The only thing of a class. Throws an `UnreadableError` if there are several, or none. */
  only(classIri: string): Thing;
  /** Throws an `UnreadableError` if something was not read. */
  checkAllRead(): void;
}

interface Node {
  kind: 'iri' | 'blank';
  value: string;
}
type Value = Node | { kind: 'text'; value: string; type: string };
interface Statement {
  subject: string;
  property: string;
  value: Value;
}

/**
 * Reads canonical N-Quads, which are what a proof signs. So what is read depends on nothing else: not on the
 * form of the file, in which the same statements can be written in many ways.
 */
export function parseGraph(canonical: string): Graph {
  // UTF-8 has no lone surrogates, so all of them have the same hash.
  if (!canonical.isWellFormed()) throw new UnreadableError('a text in it is not Unicode');
  const statements = canonical.split('\n').slice(0, -1).map(parseStatement);
  const bySubject = Map.groupBy(statements, ({ subject }) => subject);
  const things = new Map<string, Thing>();
  const read = new Set<Statement>();
  const leftOut: Value[] = [];

  function open(node: Node): Thing {
    const known = things.get(node.value);
    if (known !== undefined) return known;
    const own = bySubject.get(node.value) ?? [];
    const take = (properties: readonly string[]): Value[] => {
      const taken = own.filter(({ property }) => properties.includes(property));
      for (const statement of taken) read.add(statement);
      return taken.map(({ value }) => value);
    };
    const thing: Thing = {
      iri: node.kind === 'iri' ? node.value : null,
      classes: take([RDF_TYPE]).map((value) => toNode(value).value),
      text: (property, types) => findOnly(take([property]).map((value) => toText(value, types))),
      texts: (property) => take([property]).map((value) => toText(value)),
      thing: (...properties) => findOnly(take(properties).map((value) => open(toNode(value)))),
      things: (property) => take([property]).map((value) => open(toNode(value))),
      leaveOut: (properties = own.map(({ property }) => property)) => leftOut.push(...take(properties)),
    };
    things.set(node.value, thing);
    return thing;
  }

  return {
    only: (classIri) => {
      const found = statements.filter(
        ({ property, value }) => property === RDF_TYPE && value.kind === 'iri' && value.value === classIri,
      );
      const subject = findOnly(found)?.subject;
      if (subject === undefined) throw new UnreadableError(`it has no ${classIri}`);
      return open({ kind: subject.startsWith('_:') ? 'blank' : 'iri', value: subject });
    },
    checkAllRead: () => {
      // What is read is read completely, even if something that is left out leads to it.
      const reached = new Set(things.keys());
      for (const { kind, value } of leftOut) {
        if (kind === 'text' || reached.has(value)) continue;
        reached.add(value);
        for (const statement of bySubject.get(value) ?? []) {
          read.add(statement);
          leftOut.push(statement.value);
        }
      }
      const unread = statements.find((statement) => !read.has(statement));
      if (unread !== undefined) throw new UnreadableError(`it says something else: ${unread.property}`);
    },
  };
}

// Canonical N-Quads escape < and > in an IRI, and the line ends and quotation marks in a text. A text in a
// language and a statement of another graph do not fit.
const STATEMENT = /^(?:<([^<>]*)>|(_:\w+)) <([^<>]*)> (?:<([^<>]*)>|(_:\w+)|"(.*)"(?:\^\^<([^<>]*)>)?) \.$/s;

function parseStatement(line: string): Statement {
  const [found, iri, blank, property, valueIri, valueBlank, text, type] = STATEMENT.exec(line) ?? [];
  if (found === undefined) throw new UnreadableError('it has a text in a language, or another document');
  const value: Value =
    text !== undefined
      ? { kind: 'text', value: unquote(text), type: type === undefined ? IRIS.string : unquote(type) }
      : valueIri !== undefined
        ? { kind: 'iri', value: unquote(valueIri) }
        : { kind: 'blank', value: valueBlank ?? '' };
  return { subject: blank ?? unquote(iri ?? ''), property: unquote(property ?? ''), value };
}

// The escapes are those of JSON.
function unquote(text: string): string {
  try {
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  } catch {
    throw new UnreadableError('a text in it cannot be read');
  }
}

function findOnly<T>(values: T[]): T | null {
  if (values.length > 1) throw new UnreadableError('it has several values where one is expected');
  return values[0] ?? null;
}

function toText(value: Value, types: readonly string[] = [IRIS.string]): string {
  if (value.kind !== 'text' || !types.includes(value.type)) {
    throw new UnreadableError('a value in it is of another type than expected');
  }
  return value.value;
}

function toNode(value: Value): Node {
  if (value.kind === 'text') throw new UnreadableError('a value in it is a text where none is expected');
  return value;
}
