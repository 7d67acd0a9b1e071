/** What the console shows as "the same by API" does the same: compared with the document, our own program, and a service. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import type { ApiCall, OperationName } from '../../console/src/api/call.ts'
import { cliOf } from '../../console/src/api-call/cli.ts'
import { curlOf } from '../../console/src/api-call/curl.ts'
import { operations } from '../../console/src/api-call/operations.ts'
import { pythonOf } from '../../console/src/api-call/python.ts'
import { sdkOf } from '../../console/src/api-call/sdk.ts'
import { buildProgram } from '../../src/cli/program/program.ts'
import { pathsOfClients } from '../../src/http/endpoint/openapi.ts'
import { RollbookClient } from '../../src/sdk/client/index.ts'
import { adminKey, anyEngine, createUser, start } from '../harness.ts'
import { accessTable } from '../http/access-table.ts'

const run = promisify(execFile)
const engine = anyEngine
const bin = join(import.meta.dirname, '../../bin/rollbook.js')
const id = '019a9f3e-0000-7000-8000-000000000000'
const names = Object.keys(operations) as OperationName[]
const place = { apiUrl: 'http://127.0.0.1:8080/auth', idempotencyKey: 'of-this-test' }

/** With ids in the path, and a body wherever one can be. */
function callOf(operation: OperationName): ApiCall {
  const path = Object.fromEntries([...operation.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, id]))
  const body = accessTable[operations[operation].id]?.body
  return { operation, path, ...(typeof body === 'object' && { body }) }
}

/** Runs a line in /bin/sh, with the key in the variable that it expects. */
async function shell(line: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run('/bin/sh', ['-c', line], {
    env: { PATH: process.env.PATH, ROLLBOOK_API_KEY: adminKey, ...env },
    maxBuffer: 1 << 24,
  })
  return stdout
}

/** The words that a shell makes of a line that begins with `rollbook`. */
async function wordsOf(line: string): Promise<string[]> {
  return (await shell(`rollbook() { printf '%s\\0' "$@"; }; ${line}`)).split('\0').slice(0, -1)
}

/** Parses the words with our own program. Returns the names that lead to the command, which is not run. */
async function commandOf(words: readonly string[]): Promise<string> {
  const program = await buildProgram(words[0])
  let found = ''
  const disarm = (command: Command, path: readonly string[]): void => {
    command.exitOverride().configureOutput({ writeErr: () => undefined })
    if (command.commands.length === 0)
      command.action(() => {
        found = path.join(' ')
      })
    for (const below of command.commands) disarm(below, [...path, below.name()])
  }
  disarm(program, [])
  await program.parseAsync(words, { from: 'user' })
  return found
}

/** What a statement that the panel shows writes to the console. */
async function printedBy(statement: string, client: RollbookClient): Promise<unknown[]> {
  const printed: unknown[] = []
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  await new AsyncFunction('client', 'console', statement)(client, { log: (value: unknown) => printed.push(value) })
  return printed
}

async function service(t: TestContext) {
  const app = await start(t, engine)
  const apiUrl = await app.listen()
  return { app, apiUrl, client: new RollbookClient({ url: apiUrl, apiKey: adminKey }) }
}

describe('the panel of the API call', () => {
  it('has every operation of the document that clients call, its anchor, its permission and whether it accepts an Idempotency-Key', async (t) => {
    const { document } = await start(t, engine)
    const documented = Object.entries(pathsOfClients(document)).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { operationId: string; parameters?: { name: string }[] }>).map(
        ([method, { operationId, parameters = [] }]) => ({
          operation: `${method.toUpperCase()} ${path}`,
          id: operationId,
          needs: accessTable[operationId]?.needs,
          takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
        }),
      ),
    )
    const known = names.map((operation) => {
      const { id, needs, isRepeatable = false } = operations[operation]
      return { operation, id, needs, takesKey: operation.startsWith('POST ') && !isRepeatable }
    })
    const inOrder = (rows: { id: string }[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    assert.deepEqual(inOrder(known), inOrder(documented))
  })

  it('has a curl command and a client call for every operation', async () => {
    const client = new RollbookClient({ url: place.apiUrl })
    for (const operation of names) {
      const line = curlOf(callOf(operation), place)
      await run('/bin/sh', ['-n', '-c', line])
      assert.ok(line.includes(`${place.apiUrl}${operation.split(' ')[1]?.replaceAll(/\{\w+\}/g, id)}`), line)
      const statement = sdkOf(callOf(operation))
      const [, method = ''] = /client\.([\w.]+)\(/.exec(statement) ?? []
      const found = method.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], client)
      assert.equal(typeof found, 'function', statement)
    }
  })

  it('shows commands that our own program accepts', async () => {
    const views: ApiCall[] = [
      { operation: 'GET /users', query: { q: '-x', role: 'admin', active: false, sort: '-created_at', limit: 20 } },
      {
        operation: 'GET /users',
        query: { created_after: '2026-01-01T00:00:00Z', last_login_before: '2026-02-01T00:00:00Z' },
      },
      { operation: 'GET /users', query: { external_id: "it's; reboot" } },
      {
        operation: 'PATCH /users/{user_id}',
        path: { user_id: id },
        body: { email: null, external_id: null, active: true },
      },
      { operation: 'DELETE /users/{user_id}', path: { user_id: id }, query: { purge: true, dry_run: true } },
      { operation: 'POST /users', body: { username: '--help', first_name: '-', password: '…', role: 'user' } },
      {
        operation: 'POST /users/import',
        query: { mode: 'create', on_conflict: 'skip', match: 'email', job_id: id, dry_run: true },
        file: { name: 'staff of 2026.csv', contentType: 'text/csv' },
      },
      { operation: 'POST /users/export', query: { role: 'user' } },
      { operation: 'POST /users/bulk', body: { action: 'end_sessions', filter: {}, except: [id] } },
      { operation: 'POST /users/bulk', body: { action: 'set_role', role: '-x', filter: { has_password: true } } },
      { operation: 'POST /users/bulk', body: { action: 'restore', user_ids: [id, id] }, query: { rows: 'all' } },
      {
        operation: 'POST /keys',
        body: { name: 'a b', permissions: ['users:read', '*'], expires_at: '2099-01-01T00:00:00Z' },
      },
      {
        operation: 'PATCH /webhooks/{endpoint_id}',
        path: { endpoint_id: id },
        body: { url: 'https://a.example/?b=c', event_types: ['user.*'], active: false, description: '' },
      },
      {
        operation: 'POST /webhooks/{endpoint_id}/rotate-secret',
        path: { endpoint_id: id },
        body: { revoke_previous: true },
      },
      {
        operation: 'GET /webhooks/{endpoint_id}/deliveries',
        path: { endpoint_id: id },
        query: { status: 'dead', limit: 5 },
      },
      { operation: 'GET /audit', query: { action: ['user.*'], outcome: 'denied', actor: id, limit: 10, sort: 'seq' } },
      { operation: 'GET /events', query: { type: ['user.*', 'key.created'], after: '0' } },
    ]
    const calls = [...names.map(callOf), ...views]
    const lines = calls.map(cliOf)
    const own = lines.filter((line) => !line.includes('rollbook api '))
    assert.ok(own.length > 40, `${own.length} commands`)
    for (const line of lines) {
      const words = await wordsOf(line)
      const command = await commandOf(words)
      assert.ok(command !== '' && `${words.join(' ')} `.startsWith(`${command} `), `${line}\n${command}`)
    }
  })

  it('asks by curl and by the SDK for the same', async (t) => {
    const { app, apiUrl, client } = await service(t)
    const { user_id } = await createUser(app, { username: "o'neil", first_name: '$(id) "x" \\ ü' })
    const calls: ApiCall[] = [
      { operation: 'GET /users/{user_id}', path: { user_id: String(user_id) } },
      { operation: 'GET /roles' },
      { operation: 'GET /imports', query: { limit: 10 } },
      { operation: 'GET /users/{user_id}/sessions', path: { user_id: String(user_id) } },
      {
        operation: 'POST /users',
        query: { dry_run: true },
        body: { username: 'new', first_name: "a 'b' $HOME `c`" },
      },
      { operation: 'PATCH /users/{user_id}', path: { user_id: String(user_id) }, body: { last_name: "O'Neil !!" } },
      { operation: 'GET /health/live' },
    ]
    for (const call of calls) {
      const [bySdk] = await printedBy(sdkOf(call), client)
      const byCurl = JSON.parse(await shell(curlOf(call, { ...place, apiUrl })))
      const timeless = ({ updated_at: _, created_at: __, user_id: ___, ...rest }: Record<string, unknown>) => rest
      const [expected, actual] = [bySdk, byCurl].map((one) => (Array.isArray(one) ? one : timeless(one)))
      assert.deepEqual(actual, expected, call.operation)
    }
    const all: ApiCall = { operation: 'GET /users', query: { q: "o'neil", sort: 'username' } }
    assert.deepEqual(JSON.parse(await shell(curlOf(all, { ...place, apiUrl }))), await printedBy(sdkOf(all), client))
  })

  const python = spawnSync('python3', ['-c', 'import requests'])
  const skip = python.status === 0 ? false : 'python3 with requests is not installed'

  it('shows Python programs that compile, and ask for the same', { skip }, async (t) => {
    const programs = names.map((operation) => pythonOf(callOf(operation), place))
    const check = 'import json, sys\nfor text in json.load(sys.stdin): compile(text, "example", "exec")'
    const { status, stderr } = spawnSync('python3', ['-c', check], {
      input: JSON.stringify(programs),
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr)
    const { app, apiUrl, client } = await service(t)
    await createUser(app, { username: "o'neil", first_name: '$(id) "x" \\ ü' })
    const calls: ApiCall[] = [
      { operation: 'GET /users', query: { q: "o'neil", limit: 5, active: true } },
      { operation: 'POST /users', query: { dry_run: true }, body: { username: 'new', first_name: "a 'b' {c}" } },
      { operation: 'GET /roles' },
    ]
    for (const call of calls) {
      const program = pythonOf(call, { ...place, apiUrl }).replace('print(response.json())', 'print(response.text)')
      const { stdout } = await run('python3', ['-c', program], {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ROLLBOOK_API_KEY: adminKey },
      })
      const [bySdk] = await printedBy(sdkOf(call), client)
      const timeless = (_: string, value: unknown) =>
        _ === 'created_at' || _ === 'updated_at' || _ === 'user_id' ? 0 : value
      const rows = call.operation === 'GET /users' ? (bySdk as { users: unknown }).users : bySdk
      assert.equal(JSON.stringify(JSON.parse(stdout), timeless), JSON.stringify(rows, timeless), call.operation)
    }
  })

  it('creates once, however often the line of curl is sent', async (t) => {
    const { app, apiUrl } = await service(t)
    const line = curlOf({ operation: 'POST /users', body: { username: 'once' } }, { ...place, apiUrl })
    const [first, second] = [JSON.parse(await shell(line)), JSON.parse(await shell(line))]
    assert.deepEqual(second, first)
    assert.equal((await app.call('GET', '/users')).body.length, 1)
  })

  it('lists the same users with its command as with curl', async (t) => {
    const { app, apiUrl } = await service(t)
    for (const username of ['ada', "o'neil", 'grace']) await createUser(app, { username })
    const call: ApiCall = { operation: 'GET /users', query: { q: "o'n" }, accept: 'application/x-ndjson' }
    const command = `rollbook() { '${process.execPath}' '${bin}' "$@"; }; ${cliOf(call)}`
    const byCommand = await shell(command, { ROLLBOOK_URL: apiUrl })
    assert.equal(byCommand, await shell(curlOf(call, { ...place, apiUrl })))
    assert.equal(JSON.parse(byCommand).username, "o'neil")
  })
})
