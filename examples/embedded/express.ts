import express from 'express'
import { openRollbook } from 'rollbook/server'
import { guard } from 'rollbook/verify/express'

const { PORT = '3000' } = process.env
const rollbook = await openRollbook({ ROLLBOOK_PUBLIC_URL: `http://localhost:${PORT}/auth` })
const requires = guard(rollbook)

const app = express()
app.use(rollbook.handler) // before express.json(), which would read the bodies
app.get('/whoami', requires(), ({ caller }, response) => {
  response.json({ id: caller.id, permissions: caller.permissions })
})

const server = app.listen(Number(PORT), () => console.log(`listening on http://localhost:${PORT}`))
process.once('SIGTERM', async () => {
  server.close()
  await rollbook.close()
  server.closeAllConnections()
})
