// The parts of two libraries without types that this package uses.

declare module 'jsonld' {
  interface CanonizeOptions {
    documentLoader: (url: string) => Promise<unknown>;
    base: null;
    safe: true;
    rdfDirection: 'i18n-datatype';
    canonizeOptions: {
      algorithm: 'RDFC-1.0';
      createMessageDigest: () => { update(text: string): void; digest(): string };
      maxWorkFactor: number;
    };
  }
  const jsonld: { canonize(document: object, options: CanonizeOptions): Promise<string> };
  export default jsonld;
}

declare module 'rdf-canonize' {
  export interface Node {
    termType: 'NamedNode' | 'BlankNode';
    value: string;
  }
  export interface Literal {
    termType: 'Literal';
    value: string;
    datatype: { termType: 'NamedNode'; value: string };
  }
  export interface Quad {
    subject: Node;
    predicate: Node;
    object: Node | Literal;
    graph: { termType: 'DefaultGraph'; value: '' };
  }
  const canonize: { canonize(quads: Quad[], options: { algorithm: 'RDFC-1.0' }): Promise<string> };
  export default canonize;
}
