/**
 * A main API on Fastify that accepts Rollbook's users, tokens and API keys. In this checkout:
 *
 *   ROLLBOOK_URL=http://127.0.0.1:8080/auth ROLLBOOK_KEY=rb_… node --conditions=rollbook-source examples/fastify/server.ts
 */

import { createVerifier } from '@rollbook/sdk/verify'
import { guard } from '@rollbook/sdk/verify/fastify'
import Fastify from 'fastify'

const { ROLLBOOK_URL = 'http://127.0.0.1:8080/auth', ROLLBOOK_KEY, PORT = '3000' } = process.env

const verifier = createVerifier({ issuer: ROLLBOOK_URL, key: ROLLBOOK_KEY })
const requires = guard(verifier)

const app = Fastify()
app.addHook('onClose', () => verifier.close())

app.get('/whoami', { onRequest: requires() }, ({ caller: { kind, id, username, permissions } }) => {
  return { kind, id, username, permissions }
})

app.get('/reports', { onRequest: requires('reports:read') }, () => {
  return [{ report_id: 1, title: 'Apples picked' }]
})

app.post('/reports', { onRequest: requires('reports:write') }, ({ caller }, reply) => {
  return reply.code(201).send({ report_id: 2, author: caller.id })
})

console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: Number(PORT) })}`)
