/** Programs that contain Rollbook: their server on loopback, with a route of their own beside it. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import express from 'express'
import Fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import { openRollbook } from '../../src/app/embedded/open.ts'
import type { Options, Rollbook, Settings } from '../../src/app/embedded/types.ts'
import { makePlace } from '../durability/process.ts'
import { freePort } from '../free-port.ts'
import { adminKey, type Engine } from '../harness.ts'

export type Program = {
  rollbook: Rollbook
  /** The address of the program's server. */
  origin: string
  directory: string
  settings: Settings
  /** Sends a request to the program's server, with the administrator's key unless `headers` say otherwise. */
  call(method: string, path: string, request?: { body?: unknown; headers?: Record<string, string> }): Promise<Response>
}

/** How a program serves Rollbook, and `/reports` itself. */
export type Way = (rollbook: Rollbook) => RequestListener | Promise<RequestListener>

const reports = [{ report_id: 1 }]

export const ways: Record<string, Way> = {
  'node:http': (rollbook) => (request, response) => {
    if (request.url === '/reports') response.setHeader('content-type', 'application/json').end(JSON.stringify(reports))
    else rollbook.handler(request, response)
  },
  'Express at the base path': (rollbook) =>
    express()
      .use('/auth', rollbook.handler)
      .use(express.json())
      .get('/reports', (_request, response) => void response.json(reports)),
  'Express at the root': (rollbook) =>
    express()
      .use(rollbook.handler)
      .use(express.json())
      .get('/reports', (_request, response) => void response.json(reports)),
  Fastify: (rollbook) => listenerOf(Fastify({ bodyLimit: 10 }), rollbook),
  'Fastify with a prefix': (rollbook) => listenerOf(Fastify({ bodyLimit: 10 }), rollbook, { prefix: '/auth' }),
  Hono: (rollbook) => {
    const app = new Hono()
    app.all('/auth/*', (context) => rollbook.fetch(context.req.raw, { address: getConnInfo(context).remote.address }))
    app.get('/reports', (context) => context.json(reports))
    return getRequestListener(app.fetch)
  },
}

async function listenerOf(
  app: FastifyInstance,
  rollbook: Rollbook,
  options: { prefix?: string } = {},
): Promise<RequestListener> {
  app.register(rollbook.fastify, options)
  app.get('/reports', () => reports)
  await app.ready()
  return app.routing
}

type Given = { way?: Way; settings?: Settings; options?: Options; beside?: Settings }

export async function startProgram(t: TestContext, engine: Engine, input: Given = {}): Promise<Program> {
  const { way = ways['node:http'] as Way, options, beside } = input
  let close = async () => {}
  // Before the place's own hook: without its database, closing waits eight seconds for it.
  t.after(() => close())
  const place = await makePlace(t, engine)
  const origin = `http://127.0.0.1:${await freePort()}`
  const settings = {
    ...(beside ?? { ROLLBOOK_DATA_DIR: place.directory, ROLLBOOK_ADMIN_KEY: adminKey, ...place.env }),
    ROLLBOOK_PUBLIC_URL: `${origin}/auth`,
    ...input.settings,
  }
  const rollbook = await openRollbook(settings, options)
  const server = await listen(await way(rollbook), Number(new URL(origin).port))
  close = async () => {
    server.close()
    await rollbook.close()
    server.closeAllConnections()
  }
  return {
    rollbook,
    origin,
    directory: place.directory,
    settings,
    call: (method, path, { body, headers = { 'x-api-key': adminKey } } = {}) =>
      fetch(origin + path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  }
}

async function listen(listener: RequestListener, port: number): Promise<Server> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
