/**
 * `node scripts/with-postgres.ts npm start`: runs a command with ROLLBOOK_DATABASE_URL on a throw-away PostgreSQL, as a
 * role that has no more rights than docs/postgresql.md gives it. Everything is gone when the command ends.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freshSchema } from '../test/postgres.ts'

const [program, ...rest] = process.argv.slice(2)

if (program === undefined) {
  console.error('Which command? For example: node scripts/with-postgres.ts npm start')
  process.exitCode = 2
} else {
  const { url, schema } = await freshSchema()
  const command = spawn(program, rest, {
    stdio: 'inherit',
    env: { ...process.env, ROLLBOOK_DATABASE_URL: url, ROLLBOOK_DATABASE_SCHEMA: schema },
  })
  // Ctrl-C reaches the command as well, and the database has to outlive it.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => command.kill())
  const [code] = await once(command, 'exit')
  process.exitCode = code ?? 1
}
