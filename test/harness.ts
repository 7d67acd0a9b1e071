/** Starts the real application on a real storage for a test, and cleans up after it. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type pg from 'pg'
import type { Tokens } from '../src/access/credentials/tokens/tokens.ts'
import { buildApp } from '../src/app/app.ts'
import { handlers } from '../src/app/handlers.ts'
import { createLog } from '../src/app/log.ts'
import { system } from '../src/core/actor.ts'
import type { BrandSource } from '../src/core/brand.ts'
import { type Config, loadConfig } from '../src/core/config.ts'
import type { Outages } from '../src/core/outages.ts'
import { argon2Parameters } from '../src/directory/passwords/argon2.ts'
import type { OpenApiDocument } from '../src/http/endpoint/openapi.ts'
import type { Metrics } from '../src/operations/metrics/metrics.ts'
import { loadTemplates } from '../src/record/mails/templates/templates.ts'
import { openStorage } from '../src/store/engines/open.ts'
import type { Secrets } from '../src/store/secrets/service.ts'
import { keepThreads } from '../src/store/sqlite/threads.ts'
import type { Storage } from '../src/store/storage/storage.ts'
import type { Engine } from './engines.ts'
import { copyStore } from './migrated-store.ts'
import { adminOf, type FreshSchema, freshSchema, migratedSchema } from './postgres.ts'

export { anyEngine, type Engine, engines, everyEngine, onlyPostgres } from './engines.ts'

keepThreads()

const silent = createLog('silent')

// Each application that a file starts wants to write the end of its log when the process exits.
process.setMaxListeners(200)

export const adminKey = 'the-key-of-the-tests-0123456789abcdef'

export type Answer = {
  status: number
  headers: Record<string, string | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered.
  body: any
}

export type Request = {
  body?: unknown
  headers?: Record<string, string>
  /** Another credential than the administrator's key; null sends none. */
  key?: string | null
}

export type Started = {
  config: Config
  storage: Storage
  document: OpenApiDocument
  tokens: Tokens
  metrics: Metrics
  /** Writes into the log of the application. */
  outages: Outages
  secrets: Secrets
  branding: BrandSource
  directory: string
  /** On PostgreSQL: the schema of this test and who owns it, and the superuser's URL. */
  database: FreshSchema | undefined
  /** Runs statements directly on the store, without the application's rules. Returns the rows of the last one. */
  runSql: RunSql
  /** The bytes of everything that is kept: of the files, or of all rows. */
  stored(): Promise<Buffer>
  /** The lines of the log so far. */
  logLines(): string[]
  /** Sends a request into the application and checks the answer against the OpenAPI document. */
  call(method: string, path: string, request?: Request): Promise<Answer>
  /** Listens on loopback. Returns the URL with the prefix. */
  listen(port?: number): Promise<string>
}

export type RunSql = (text: string) => Promise<Record<string, unknown>[]>

type Options = {
  env?: Record<string, string>
  clock?: () => number
  /** Be another node on the same PostgreSQL database. */
  beside?: Started
  /** Hash passwords as the service does: for tests of what that costs, and of what happens while it is done. */
  realHashes?: boolean
  /** Begin without a store, or with an empty schema that the role owns, where others get a copy of a migrated one. */
  migrates?: boolean
  /** Called with the storage before the application uses it. */
  watch?: (storage: Storage) => void
}

/** The least that argon2id can do with. Hashing takes a fiftieth of a second otherwise, thousands of times. */
const quickHashes = { ...argon2Parameters, memoryKib: 8, passes: 1 }

export async function start(
  t: TestContext,
  engine: Engine,
  { env = {}, clock = Date.now, beside, realHashes = false, migrates = false, watch }: Options = {},
): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const newSchema = migrates ? freshSchema : migratedSchema
  const database = beside?.database ?? (engine.name === 'PostgreSQL' ? await newSchema() : undefined)
  if (engine.name === 'SQLite' && !migrates) await copyStore(directory)
  const config = loadConfig({
    ROLLBOOK_ADMIN_KEY: adminKey,
    ROLLBOOK_LOG_LEVEL: 'info',
    ROLLBOOK_PORT: '0',
    ROLLBOOK_DATA_DIR: directory,
    ...(database && { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema }),
    ...env,
  })
  const faults: Error[] = []
  const storage = await openStorage(handlers, config, silent, (error) => faults.push(error))
  watch?.(storage)
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).trimEnd().split('\n'))
      done()
    },
  })
  const log = createLog(config.logLevel, sink)
  const { fastify, document, tokens, metrics, outages, secrets, branding } = await buildApp({
    config,
    storage,
    log,
    templates: loadTemplates(config.mailTemplates, config.mailLocale),
    cores: 2,
    clock,
    ...(!realHashes && { passwordParameters: quickHashes }),
  }).catch(async (error) => {
    // Its threads would keep the test from ending.
    await storage.close()
    throw error
  })
  await storage.change(
    'keys.bootstrap',
    { key: adminKey, managed: true },
    { actor: system, now: clock(), requestId: 'test' },
  )
  endAfter(t, async () => {
    fastify.server.closeAllConnections()
    await fastify.close()
    await storage.close()
    if (!beside) await database?.drop()
    rmSync(directory, { recursive: true, force: true })
    assert.deepEqual(faults, [])
  })
  return {
    config,
    storage,
    get document() {
      return document()
    },
    tokens,
    metrics,
    outages,
    secrets,
    branding,
    directory,
    database,
    runSql: sqlRunner(directory, database),
    stored: () => readStored(directory, database),
    logLines: () => lines,
    async call(method, path, { body, headers = {}, key = adminKey } = {}) {
      const typed = body !== undefined && !Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
      const raw = await fastify.inject({
        method: method as 'GET',
        url: config.basePath + path,
        headers: {
          ...(key !== null && { 'x-api-key': key }),
          ...(typed && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && {
          payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        }),
      })
      const isJson =
        /json/.test(String(raw.headers['content-type'])) && !/ndjson/.test(String(raw.headers['content-type']))
      const response: Answer = {
        status: raw.statusCode,
        headers: raw.headers as Record<string, string | undefined>,
        text: raw.body,
        body: isJson && raw.body !== '' && raw.headers['content-encoding'] === undefined ? raw.json() : undefined,
      }
      checkerFor(env, document)(method, path, response)
      return response
    },
    async listen(port = 0) {
      await fastify.listen({ host: '127.0.0.1', port })
      return `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}${config.basePath}`
    },
  }
}

/** The runner keeps every test and its hooks until the file ends; this lets go of the application when the test has ended. */
function endAfter(t: TestContext, end: () => Promise<void>): void {
  const ends = [end]
  t.after(() => ends.pop()?.())
}

/** Statements on the store in this directory, or in this schema. */
export function sqlRunner(directory: string, database: FreshSchema | undefined): RunSql {
  if (database) return (text) => withAdmin(database, (client) => lastRows(client, text))
  return async (text) => {
    const connection = new DatabaseSync(join(directory, 'rollbook.db'), { timeout: 5000 })
    try {
      const statements = text.split(/;\s*/).filter((statement) => statement !== '')
      const rows = statements.map((statement) =>
        connection
          .prepare(statement)
          .all()
          .map((row) => ({ ...row })),
      )
      return rows.at(-1) ?? []
    } finally {
      connection.close()
      // The application does not know of it: it keeps using what it read in this turn.
      await nextTurn()
    }
  }
}

async function lastRows(client: pg.ClientBase, text: string): Promise<Record<string, unknown>[]> {
  const result: pg.QueryResult | pg.QueryResult[] = await client.query(text)
  return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? []
}

/** The bytes of the files in this directory, and of all rows of this schema. */
export async function readStored(directory: string, database: FreshSchema | undefined): Promise<Buffer> {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())
  const parts: (string | Buffer)[] = files.map(({ name }) => readFileSync(join(directory, name)))
  if (database) {
    await withAdmin(database, async (client) => {
      const tables = await lastRows(
        client,
        `SELECT tablename FROM pg_tables WHERE schemaname = '${database.schema}' ORDER BY tablename`,
      )
      for (const { tablename } of tables) {
        const rows = await lastRows(client, `SELECT * FROM ${tablename}`)
        for (const row of rows) parts.push(...Object.values(row).map((value) => toBytes(value)))
      }
    })
  }
  return Buffer.concat(parts.map(toBytes))
}

function toBytes(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(`${value}\n`)
}

/** As the superuser, in the schema of the test. */
async function withAdmin<T>(
  { adminUrl, schema }: FreshSchema,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await adminOf(adminUrl).connect()
  try {
    await client.query(`SET search_path = ${schema}`)
    return await work(client)
  } finally {
    // The next one finds nothing of it: no setting, no lock, and no transaction, in which this fails.
    const isClean = await client.query('DISCARD ALL').then(
      () => true,
      () => false,
    )
    client.release(!isClean)
  }
}

type AnswerCheck = (method: string, path: string, response: Answer) => void

/** By the settings of their applications, the latest last. */
const checks = new Map<string, AnswerCheck>()
/** Each has a document of some megabytes. */
const checksLimit = 6

/** Applications with the same settings have the same document, whatever ports the servers of their tests have. */
function checkerFor(env: Record<string, string>, document: () => OpenApiDocument): AnswerCheck {
  const settings = JSON.stringify(env).replaceAll(/\b127\.0\.0\.1:\d+/g, '')
  const check = checks.get(settings) ?? answerChecker(document())
  checks.delete(settings)
  checks.set(settings, check)
  if (checks.size > checksLimit) checks.delete(checks.keys().next().value as string)
  return check
}

/** By the named shapes of the document: those of the applications that a file starts are the same. */
const compilers = new Map<string, (schema: object) => ValidateFunction>()

/** Compiles each shape once in this process. */
function schemaCompiler(components: object): (schema: object) => ValidateFunction {
  const key = JSON.stringify(components)
  const known = compilers.get(key)
  if (known !== undefined) return known
  const ajv = new Ajv2020({ strict: false, validateFormats: false, meta: false, validateSchema: false })
  ajv.addSchema({ components }, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const compile = (schema: object) => {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')
    const valid = compiled.get(text) ?? ajv.compile(JSON.parse(text))
    compiled.set(text, valid)
    return valid
  }
  compilers.set(key, compile)
  return compile
}

/** Checks that what is answered is what the OpenAPI document says of that operation and status. */
function answerChecker(document: OpenApiDocument): AnswerCheck {
  const paths = Object.keys(document.paths).map((path) => ({
    path,
    form: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  let compile: ((schema: object) => ValidateFunction) | undefined
  return (method, url, reply) => {
    const asked = url.split('?', 1)[0] as string
    // As the router has it: a path as it stands goes before one with a parameter.
    const found = paths.find(({ path }) => path === asked) ?? paths.find(({ form }) => form.test(asked))
    const operation = found && document.paths[found.path]?.[method.toLowerCase()]
    if (operation === undefined) return
    const responses = operation.responses as Record<string, { content?: Record<string, { schema: object }> }>
    const response = responses[reply.status]
    assert.ok(response, `${method} ${url} answered ${reply.status}, which the document does not have: ${reply.text}`)
    if (reply.status === 429) assert.ok(reply.headers.ratelimit, `${method} ${url} has no RateLimit`)
    // RFC 9110 §15.5.2.
    if (reply.status === 401) assert.ok(reply.headers['www-authenticate'], `${method} ${url} has no challenge`)
    const type = reply.headers['content-type']?.split(';')[0] as string
    if (reply.body === undefined) return
    const described = response.content?.[type]
    assert.ok(described, `${method} ${url} answered ${type}, which the document does not have`)
    compile ??= schemaCompiler(document.components)
    const valid = compile(described.schema)
    assert.ok(valid(reply.body), `${method} ${url}: ${JSON.stringify(valid.errors)}`)
  }
}
let names = 0

/** A user that no other test has made. */
export async function createUser(
  app: Started,
  members: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const response = await app.call('POST', '/users', { body: { username: `user-${++names}`, ...members } })
  assert.equal(response.status, 201, response.text)
  return response.body
}
