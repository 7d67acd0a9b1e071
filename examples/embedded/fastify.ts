import Fastify from 'fastify'
import { openRollbook } from 'rollbook/server'
import { guard } from 'rollbook/verify/fastify'

const { PORT = '3000' } = process.env
const rollbook = await openRollbook({ ROLLBOOK_PUBLIC_URL: `http://localhost:${PORT}/auth` })
const requires = guard(rollbook)

const app = Fastify()
app.register(rollbook.fastify)
app.addHook('preClose', () => rollbook.close())
app.get('/whoami', { onRequest: requires() }, ({ caller }) => ({ id: caller.id, permissions: caller.permissions }))

await app.listen({ port: Number(PORT), host: 'localhost' })
console.log(`listening on http://localhost:${PORT}`)
process.once('SIGTERM', () => app.close())
