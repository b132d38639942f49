import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import Cropper, { type Point } from 'react-easy-crop';
import { useTranslation } from 'react-i18next';
import 'react-easy-crop/react-easy-crop.css';
import dialogStyles from '../../design/action-dialog.module.css';
import { Button } from '../../design/button.tsx';
import fieldStyles from '../../design/field.module.css';
import { useModal } from '../../design/use-modal.ts';
import { useIsPaused } from '../session/session.ts';
import styles from './crop-dialog.module.css';
import { findFramedSquare, type Size, type Square } from './plan-picture.ts';

/** The side of the frame, in CSS pixels. It fits on the smallest phones. */
const FRAME_SIDE = 208;
/** How much a picture can be magnified that fills the frame. */
const MAX_MAGNIFICATION = 5;
const SLIDER_STEPS = 40;

export interface CropDialogProps {
  url: string;
  picture: Size;
  /** Gets the chosen square, or null if the person cancels. */
  onEnd: (square: Square | null) => void;
}

/** Asks which square of a picture is shown: by mouse, by touch, or with the arrow keys and a slider. */
export function CropDialog({ url, picture, onEnd }: CropDialogProps) {
  const { t, i18n } = useTranslation('console');
  const id = useId();
  const dialogRef = useModal(useIsPaused());
  const frameRef = useRef<RefObject<HTMLDivElement> | null>(null);
  const [offset, setOffset] = useState<Point>({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  /** The size of the picture on the screen at zoom 1; null until it is shown. */
  const [shown, setShown] = useState<Size | null>(null);
  const isShown = shown !== null;
  const [isOpen, setIsOpen] = useState(false);

  // A picture in a dialog that is not open yet has no size.
  useEffect(() => setIsOpen(true), []);

  useEffect(() => {
    if (isShown) frameRef.current?.current?.focus();
  }, [isShown]);

  // With the smaller one, the whole picture is inside the frame. With the larger one, it fills the frame.
  const wholeZoom = shown === null ? 1 : FRAME_SIDE / Math.max(shown.width, shown.height);
  const filledZoom = shown === null ? 1 : FRAME_SIDE / Math.min(shown.width, shown.height);
  const maxZoom = filledZoom * MAX_MAGNIFICATION;
  const isWhole = zoom < wholeZoom * 1.001;

  function measure({ width, height }: Size): void {
    // While the sign-in is shown, the dialog is closed.
    if (width === 0) return;
    setShown({ width, height });
    if (!isShown) setZoom(FRAME_SIDE / Math.min(width, height));
  }

  function choose(): void {
    if (shown !== null) onEnd(findFramedSquare(picture, { offset, zoom, shown, frameSide: FRAME_SIDE }));
  }

  // Outside of the form in which the file is chosen, so that no key in the dialog sends this form.
  return createPortal(
    <dialog
      ref={dialogRef}
      className={dialogStyles.dialog}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault();
        onEnd(null);
      }}
    >
      <div className={dialogStyles.form}>
        <h2 id={`${id}-title`}>{t('picture.title')}</h2>
        <p id={`${id}-hint`} className={fieldStyles.hint}>
          {t('picture.hint')}
        </p>
        <div className={styles.stage}>
          {isOpen && (
            <Cropper
              image={url}
              crop={offset}
              zoom={zoom}
              minZoom={wholeZoom}
              maxZoom={maxZoom}
              aspect={1}
              cropSize={{ width: FRAME_SIDE, height: FRAME_SIDE }}
              onCropChange={setOffset}
              onZoomChange={setZoom}
              setMediaSize={measure}
              setCropperRef={(ref) => {
                frameRef.current = ref;
              }}
              keyboardStep={5}
              // The security policy forbids the style element of the library, so its file is loaded above.
              disableAutomaticStylesInjection
              classes={{ cropAreaClassName: styles.frame ?? '' }}
              cropperProps={{
                role: 'application',
                'aria-label': t('picture.frame'),
                'aria-describedby': `${id}-hint`,
              }}
            />
          )}
        </div>
        <div className={fieldStyles.field}>
          <label className={fieldStyles.label} htmlFor={`${id}-zoom`}>
            {t('picture.zoom')}
          </label>
          <input
            id={`${id}-zoom`}
            className={styles.slider}
            type="range"
            min={wholeZoom}
            max={maxZoom}
            step={(maxZoom - wholeZoom) / SLIDER_STEPS}
            value={zoom}
            aria-valuetext={new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(
              zoom / filledZoom,
            )}
            onChange={(event) => setZoom(Number(event.target.value))}
          />
        </div>
        <Button
          size="small"
          className={styles.fit}
          onClick={() => {
            setOffset({ x: 0, y: 0 });
            setZoom(isWhole ? filledZoom : wholeZoom);
          }}
        >
          {isWhole ? t('picture.fill') : t('picture.whole')}
        </Button>
        <div className={dialogStyles.actions}>
          <Button onClick={() => onEnd(null)}>{t('dialog.cancel')}</Button>
          <Button variant="primary" isDisabled={!isShown} onClick={choose}>
            {t('picture.use')}
          </Button>
        </div>
      </div>
    </dialog>,
    document.body,
  );
}
