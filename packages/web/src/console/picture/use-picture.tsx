import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import type { CropDialogProps } from './crop-dialog.tsx';
import { drawSquare } from './draw-square.ts';
import { loadPicture, PictureError } from './load-picture.ts';
import { planPicture, type Square } from './plan-picture.ts';

export const PICTURE_TYPES =
  'image/png,image/jpeg,image/webp,image/gif,image/avif,image/svg+xml,.png,.jpg,.jpeg,.webp,.gif,.avif,.svg';

interface Choice extends Pick<CropDialogProps, 'url' | 'picture' | 'onEnd'> {
  Dialog: ComponentType<CropDialogProps>;
}

/**
 * Prepares pictures for the service. `prepare` returns a file that the service accepts: the same, or a square
 * of it that is drawn here. A person chooses this square in `dialog`, which belongs on the page. Null if they
 * cancel. It throws a `PictureError`.
 */
export function usePicture(): { prepare(file: File): Promise<File | null>; dialog: ReactNode } {
  const [choice, setChoice] = useState<Choice | null>(null);
  const choiceRef = useRef(choice);
  choiceRef.current = choice;
  // When the page is left, the file is released.
  useEffect(() => () => choiceRef.current?.onEnd(null), []);

  async function prepare(file: File): Promise<File | null> {
    const picture = await loadPicture(file);
    try {
      const { size, type, isAnimated } = picture;
      const plan = planPicture({ ...size, type: type ?? '', isAnimated, bytes: file.size });
      if (plan === 'refuse') throw new PictureError('animation');
      if (plan === 'keep') return file;
      const square =
        plan === 'scale'
          ? { x: 0, y: 0, side: size.width }
          : await chooseSquare({ picture: size, url: picture.image.src });
      return square === null ? null : await drawSquare(picture, square, file.name);
    } finally {
      picture.release();
    }
  }

  async function chooseSquare(shown: Pick<Choice, 'picture' | 'url'>): Promise<Square | null> {
    // Only who crops a picture loads the code for it.
    const { CropDialog } = await import('./crop-dialog.tsx');
    const { promise, resolve } = Promise.withResolvers<Square | null>();
    setChoice({ ...shown, Dialog: CropDialog, onEnd: resolve });
    const square = await promise;
    setChoice(null);
    return square;
  }

  return { prepare, dialog: choice === null ? null : <choice.Dialog {...choice} /> };
}
