/**
 * A main API as one `fetch` handler, for Deno, Bun and many frameworks, that accepts Rollbook's users, tokens and API keys. In
 * this checkout, on Node:
 *
 *   ROLLBOOK_URL=http://127.0.0.1:8080/auth ROLLBOOK_KEY=rb_… node --conditions=rollbook-source examples/fetch/server.ts
 */
import { serve } from '@hono/node-server'
import { createVerifier } from '@rollbook/sdk/verify'
import { guard, type Handler } from '@rollbook/sdk/verify/fetch'

const { ROLLBOOK_URL = 'http://127.0.0.1:8080/auth', ROLLBOOK_KEY, PORT = '3000' } = process.env

const verifier = createVerifier({ issuer: ROLLBOOK_URL, key: ROLLBOOK_KEY })
const requires = guard(verifier)

const routes: Record<string, Handler> = {
  'GET /whoami': requires({}, (_request, { kind, id, username, permissions }) => {
    return Response.json({ kind, id, username, permissions })
  }),
  'GET /reports': requires('reports:read', () => {
    return Response.json([{ report_id: 1, title: 'Apples picked' }])
  }),
  'POST /reports': requires('reports:write', (_request, caller) => {
    return Response.json({ report_id: 2, author: caller.id }, { status: 201 })
  }),
}

function handle(request: Request): Response | Promise<Response> {
  const route = routes[`${request.method} ${new URL(request.url).pathname}`]
  return route === undefined ? new Response(null, { status: 404 }) : route(request)
}

const server = serve({ fetch: handle, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
server.on('close', () => verifier.close())
