import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { openRollbook } from 'rollbook/server'
import { guard } from 'rollbook/verify/hono'

const { PORT = '3000' } = process.env
const rollbook = await openRollbook({ ROLLBOOK_PUBLIC_URL: `http://localhost:${PORT}/auth` })
const requires = guard(rollbook)

const app = new Hono()
// A Request does not have the client's address, which limits and the audit log need.
app.all('/auth/*', (context) => rollbook.fetch(context.req.raw, { address: getConnInfo(context).remote.address }))
app.get('/whoami', requires(), (context) => {
  const { id, permissions } = context.get('caller')
  return context.json({ id, permissions })
})

const server = serve({ fetch: app.fetch, port: Number(PORT) }, () => {
  console.log(`listening on http://localhost:${PORT}`)
}) as Server
process.once('SIGTERM', async () => {
  server.close()
  await rollbook.close()
  server.closeAllConnections()
})
