/** What is to be rendered; everything that its pixels depend on. */
export type Picture =
  | { readonly kind: 'logo' }
  | { readonly kind: 'design'; readonly designId: string }
  | { readonly kind: 'token'; readonly designId: string; readonly headline: string }
  | { readonly kind: 'poster'; readonly headline: string };

/** What a worker answers: one of these for each picture, in order. */
export type Rendered = { readonly png: Uint8Array } | { readonly error: string };
