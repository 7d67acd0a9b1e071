/**
 * `node bench/sizing.ts [users …]`: what docs/sizing.md says of a machine, measured on this one: disk, memory,
 * connections and rates on SQLite, and on PostgreSQL with one node and with two.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, load } from './load.ts'
import { many, million, userPaths } from './parts/settings.ts'
import { type Database, query, withDatabase } from './postgres.ts'
import { residentMegabytes, watchMemory } from './processes.ts'
import { seeded } from './seed.ts'
import { type Server, withNode, withServer } from './servers.ts'
import { searchTexts } from './users.ts'
import { readWholeList } from './whole-list.ts'

const seconds = 4
const connections = 32

/** One column: what was measured, by name, as it is shown. */
type Column = Record<string, string>

const round = (value: number) => Number(value.toPrecision(2)).toLocaleString('en')
const megabytes = (bytes: number) => `${round(bytes / 1e6)} MB`

async function measureNodes(servers: readonly Server[], users: number, database?: Database): Promise<Column> {
  const paths = userPaths(users)
  const together = async (plan: Omit<Load, 'connections' | 'seconds'>, length = seconds) => {
    const each = { ...plan, connections: connections / servers.length, seconds: length }
    // Each with numbers of its own, so that no two make the same user.
    const loads = servers.map((server, node) =>
      load(server, { ...each, ...(plan.body && { body: plan.body.replaceAll('%n', `${node}x%n`) }) }),
    )
    return (await Promise.all(loads)).reduce((sum, { perSecond }) => sum + perSecond, 0)
  }
  const rate = async (plan: Omit<Load, 'connections' | 'seconds'>) => {
    await together({ ...plan, ...(plan.body && { body: plan.body.replaceAll('%n', 'warm%n') }) }, 1)
    return `${round(await together(plan))} /s`
  }
  const [first] = servers as [Server]
  await sleep(3000)
  const column: Column = { 'memory of a node, idle': `${round(residentMegabytes(first.pid))} MB` }
  const most = watchMemory(first.pid)
  column['GET /users/{id}'] = await rate({ targets: paths })
  column['PATCH /users/{id}'] = await rate({ method: 'PATCH', targets: paths, body: '{"first_name":"Ada %n"}' })
  column['POST /users'] = await rate({ method: 'POST', targets: ['/users'], body: '{"username":"lovelace.%n"}' })
  const lists = await Promise.all(servers.map((server) => readWholeList(server)))
  column['GET /users, the whole list'] =
    `${round(lists.reduce((sum, list) => sum + list.megabytes / list.seconds, 0))} MB/s`
  if (database) column['connections of a node, busy'] = round((await countConnections(database)) / servers.length)
  const searches = searchTexts(users, 1000).map((text) => `/users?limit=20&q=${encodeURIComponent(text)}`)
  const { p50Ms, p99Ms } = await load(first, { targets: searches, connections: 1, seconds })
  column['search (q=), median and p99, alone'] = `${p50Ms.toFixed(1)} and ${p99Ms.toFixed(1)} ms`
  column['memory of a node, busy'] = `${round(most())} MB`
  return column
}

async function countConnections({ adminUrl }: Database): Promise<number> {
  const [found] = await query(adminUrl, "SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'rollbook'")
  return found.n
}

async function sqlite(users: number): Promise<Column> {
  const folder = await seeded('ours', users)
  const measured = await withServer('ours', { users, writes: true }, (server) => measureNodes([server], users))
  return { disk: megabytes(statSync(join(folder, 'rollbook.db')).size), ...measured }
}

async function postgres(users: number, nodes: 1 | 2): Promise<Column> {
  return withDatabase({ users, writes: true }, async (database) => {
    const column = nodes === 1 ? await measureTables(database) : {}
    const start = (work: (server: Server) => Promise<Column>) => withNode('ours', { users }, database, work)
    const measured = await (nodes === 1
      ? start((server) => measureNodes([server], users, database))
      : start((one) => start((other) => measureNodes([one, other], users, database))))
    return { ...column, ...measured }
  })
}

/** Sizes of the tables, and the time that the search index takes to build. */
async function measureTables({ adminUrl }: Database): Promise<Column> {
  const sizes = `SELECT pg_table_size('users')::float8 AS rows, pg_indexes_size('users')::float8 AS indexes,
    pg_relation_size('users_search')::float8 AS search, pg_get_indexdef('users_search'::regclass) AS definition`
  const [found] = await query(adminUrl, 'SET search_path = rollbook, public', sizes)
  const { rows, indexes, search, definition } = found
  const began = performance.now()
  await query(adminUrl, 'DROP INDEX rollbook.users_search', definition)
  const built = (performance.now() - began) / 1000
  return {
    disk: megabytes(rows + indexes),
    '… of it the search index': megabytes(search),
    '… of it the other indexes': megabytes(indexes - search),
    'time to build the search index': `${round(built)} s`,
  }
}

const counts = process.argv.slice(2).map(Number)
for (const users of counts.length > 0 ? counts : [many, million]) {
  const columns = {
    SQLite: await sqlite(users),
    PostgreSQL: await postgres(users, 1),
    'two nodes': await postgres(users, 2),
  }
  const names = new Set([columns.PostgreSQL, columns.SQLite].flatMap((column) => Object.keys(column)))
  console.log(`\n| ${users.toLocaleString('en')} users | ${Object.keys(columns).join(' | ')} |`)
  console.log(`| --- |${' --- |'.repeat(Object.keys(columns).length)}`)
  for (const name of names) {
    console.log(
      `| ${name} | ${Object.values(columns)
        .map((column) => column[name] ?? '')
        .join(' | ')} |`,
    )
  }
}
