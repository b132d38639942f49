/// <reference path="./libraries.d.ts" />
import type { Literal, Node, Quad } from 'rdf-canonize';
import rdfCanonize from 'rdf-canonize';
import { IRIS, RDF_TYPE } from './vocabulary.ts';

/**
 * A value of a statement: a text, a text of another type, the IRI of something, or something without an IRI.
 */
export type Value = string | { text: string; type: string } | { iri: string } | { blank: string };

/** Collects statements about things, as RDF. */
export interface Statements {
  /** Adds the class of a thing and its properties. Undefined: the thing has no such property. */
  add(
    subject: { iri: string } | { blank: string },
    classes: string[],
    properties: [iri: string, value: Value | undefined][],
  ): void;
  /** Returns the canonical N-Quads (RDFC-1.0), which are what is signed. */
  canonize(): Promise<string>;
}

export function createStatements(): Statements {
  const quads: Quad[] = [];
  return {
    add: (subject, classes, properties) => {
      const add = (predicate: string, value: Value) =>
        quads.push({
          subject: toNode(subject),
          predicate: { termType: 'NamedNode', value: predicate },
          object: toObject(value),
          graph: { termType: 'DefaultGraph', value: '' },
        });
      for (const iri of classes) add(RDF_TYPE, { iri });
      for (const [iri, value] of properties) if (value !== undefined) add(iri, value);
    },
    canonize: () => rdfCanonize.canonize(quads, { algorithm: 'RDFC-1.0' }),
  };
}

function toNode(thing: { iri: string } | { blank: string }): Node {
  return 'iri' in thing
    ? { termType: 'NamedNode', value: thing.iri }
    : { termType: 'BlankNode', value: `_:${thing.blank}` };
}

function toObject(value: Value): Node | Literal {
  if (typeof value === 'string') return toLiteral(value, IRIS.string);
  return 'text' in value ? toLiteral(value.text, value.type) : toNode(value);
}

function toLiteral(value: string, type: string): Literal {
  return { termType: 'Literal', value, datatype: { termType: 'NamedNode', value: type } };
}
