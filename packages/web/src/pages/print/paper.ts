import { useEffect } from 'react';

export type PaperName = 'a4' | 'letter';
export type CardSize = 'large' | 'medium' | 'small';

/** The sizes of paper in millimetres, and their names in CSS. */
export const PAPERS = {
  a4: { widthMm: 210, heightMm: 297, cssName: 'A4' },
  letter: { widthMm: 215.9, heightMm: 279.4, cssName: 'letter' },
} as const;

/** How many cards are on a sheet. */
export const CARDS_PER_SHEET: Record<CardSize, number> = { large: 6, medium: 12, small: 20 };

/** Regions whose printers have Letter paper. */
const LETTER_REGIONS = ['US', 'CA', 'MX', 'CO', 'CL', 'VE', 'PH', 'GT', 'CR', 'PA', 'DO', 'PR', 'SV', 'NI'];

/** Returns the usual paper of the region of a language, such as `letter` for `en-US`. */
export function guessPaper(language: string): PaperName {
  // `maximize` adds the most likely region to a language without one.
  const { region } = new Intl.Locale(language).maximize();
  return region !== undefined && LETTER_REGIONS.includes(region) ? 'letter' : 'a4';
}

/** Makes the browser print on this paper, without margins of its own. */
export function usePrintedPaper(paper: PaperName): void {
  useEffect(() => {
    // `@page` cannot read a CSS variable.
    const styleSheet = new CSSStyleSheet();
    styleSheet.replaceSync(`@page { size: ${PAPERS[paper].cssName}; margin: 0 }`);
    document.adoptedStyleSheets.push(styleSheet);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== styleSheet);
    };
  }, [paper]);
}
