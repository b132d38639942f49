import type { Context } from '../../context.ts';
import type { App } from './route.ts';

export function claimRoutes(_app: App, _context: Context): void {}
