/**
 * A main API on Hono that accepts Rollbook's users, tokens and API keys. In this checkout:
 *
 *   ROLLBOOK_URL=http://127.0.0.1:8080/auth ROLLBOOK_KEY=rb_… node --conditions=rollbook-source examples/hono/server.ts
 */
import { serve } from '@hono/node-server'
import { createVerifier } from '@rollbook/sdk/verify'
import { guard } from '@rollbook/sdk/verify/hono'
import { Hono } from 'hono'

const { ROLLBOOK_URL = 'http://127.0.0.1:8080/auth', ROLLBOOK_KEY, PORT = '3000' } = process.env

const verifier = createVerifier({ issuer: ROLLBOOK_URL, key: ROLLBOOK_KEY })
const requires = guard(verifier)

const app = new Hono()

app.get('/whoami', requires(), (context) => {
  const { kind, id, username, permissions } = context.get('caller')
  return context.json({ kind, id, username, permissions })
})

app.get('/reports', requires('reports:read'), (context) => {
  return context.json([{ report_id: 1, title: 'Apples picked' }])
})

app.post('/reports', requires('reports:write'), (context) => {
  return context.json({ report_id: 2, author: context.get('caller').id }, 201)
})

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
server.on('close', () => verifier.close())
