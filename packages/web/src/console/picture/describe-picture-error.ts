import type { TFunction } from 'i18next';
import { describeError } from '../describe-error.ts';
import { PictureError } from './load-picture.ts';

/** Says why a picture could not be uploaded, and what to do. */
export function describePictureError(error: unknown, t: TFunction<'console'>): string {
  if (error instanceof PictureError) return t(`picture.problems.${error.problem}`);
  const { name } = error as { name?: unknown };
  return name === 'UnsupportedMediaType' ? t('picture.problems.unreadable') : describeError(error, t);
}
