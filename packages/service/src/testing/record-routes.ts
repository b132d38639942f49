import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';

export interface RegisteredRoute {
  method: string;
  url: string;
  /** The names of its documented query parameters. */
  parameters: string[];
}

/** Starts a service, and returns it with the routes that it registered, except those that reject a method. */
export async function recordRoutes<T>(
  start: () => Promise<T>,
): Promise<{ started: T; routes: RegisteredRoute[] }> {
  const routes: RegisteredRoute[] = [];
  const record = ({ method, url, schema, config }: RouteOptions) => {
    if (config?.isMethodRejected) return;
    const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
    const parameters = Object.keys(properties);
    for (const name of [method].flat()) routes.push({ method: name, url, parameters });
  };
  const listen = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', record);
  };
  subscribe('fastify.initialization', listen);
  try {
    return { started: await start(), routes };
  } finally {
    unsubscribe('fastify.initialization', listen);
  }
}
