import type { CurveImplementation } from './curve-implementation.ts';
import { libsecp256k1 } from './libsecp256k1.ts';

/**
 * The implementation that this process uses: the native one or, if it cannot be loaded, the slower one in
 * JavaScript.
 */
export const curve: CurveImplementation = libsecp256k1 ?? (await import('./noble-curves.ts')).nobleCurves;
