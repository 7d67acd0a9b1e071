/** A script of requests and changes that one application runs, and a transcript of what came of each. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { system } from '../../src/core/actor.ts'
import type { CommandInput, CommandName } from '../../src/store/storage/registry.ts'
import type { ChangeRequest, Storage } from '../../src/store/storage/storage.ts'
import { recordsOf } from '../audit-records.ts'
import { type Answer, type Engine, type Request, type Started, start } from '../harness.ts'
import { type MailServer, startMailServer } from '../mails/mail-server.ts'
import { mailEnv } from '../mails/mailing.ts'
import { startOwners } from '../name-server.ts'
import { type Browser, openBrowser } from '../people.ts'
import { type StoppedClock, stoppedClock } from '../stopped-clock.ts'
import { eventually, inward } from '../webhooks/dispatching.ts'
import { normalizer } from './normalize.ts'

type Details = Omit<Request, 'body'> & {
  /** The status of the expected refusal. Every other response must be a success. */
  refused?: number
}

/** `admin('POST /users', { username: 'ada' })` sends the request and returns the body of the response. */
// biome-ignore lint/suspicious/noExplicitAny: a step uses whatever was returned.
export type Caller = (request: string, body?: unknown, details?: Details) => Promise<any>

export type Script = {
  t: TestContext
  app: Started
  clock: StoppedClock
  mailServer: MailServer
  /** With the administrator's key. */
  admin: Caller
  /** Without a credential. */
  visitor: Caller
  /** With another key, or a token. */
  holder(credential: string): Caller
  in(browser: Browser): Caller
  /** Opens a browser and signs in with a password. */
  signIn(username: string, password?: string): Promise<Browser & { caller: Caller }>
  /** Makes a named change for Rollbook itself. */
  change<Name extends CommandName>(name: Name, input: CommandInput<Name>): Promise<void>
  /** Makes changes of one kind at once: on PostgreSQL they may share a transaction. */
  together<Name extends CommandName>(name: Name, inputs: readonly CommandInput<Name>[]): Promise<void>
  note(step: string, outcome: unknown): void
  /** For a change of Rollbook itself, now. */
  request(): ChangeRequest
}

export type Part = (script: Script) => Promise<void>

/** What happened on one engine. */
export type Transcript = {
  /** Each response and result; after each part, the audit records and the events that it left. */
  steps: readonly string[]
  /** The operations, changes, reads and lists that succeeded. */
  succeeded: ReadonlySet<string>
  operations: readonly string[]
}

const env = {
  ...mailEnv,
  ...inward,
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_EMAIL_CODE: 'on',
  ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1',
  ROLLBOOK_TRUST_BROWSER_DAYS: '30',
  ROLLBOOK_ACCESS_REQUESTS: 'on',
  ROLLBOOK_ACCOUNT_DELETION: 'on',
  ROLLBOOK_ROLES: '{"support": ["users:read", "users:impersonate"]}',
}

/** The same on both engines. What identity providers sign is checked against the clock of the machine. */
const begun = Math.floor(Date.now() / 1000) * 1000
/** No two steps have the same time. */
const stepMs = 100

export async function runScript(t: TestContext, engine: Engine, parts: readonly Part[]): Promise<Transcript> {
  const clock = stoppedClock(begun)
  const mailServer = await startMailServer(t)
  const succeeded = new Set<string>()
  const names = await startOwners(t, () => app)
  const app: Started = await start(t, engine, {
    env: { ...env, ...names.env, ROLLBOOK_SMTP_URL: mailServer.url },
    clock,
    watch: (storage) => watch(storage, (name) => succeeded.add(name)),
  })
  const steps: string[] = []
  const normalize = normalizer()
  const note = (step: string, outcome: unknown) => steps.push(normalize(step, outcome))

  const operationOf = operationFinder(app)
  const { call } = app
  // The helpers of other tests send requests too, and these are steps as well.
  app.call = async (method, path, request) => {
    await clock.pass(stepMs)
    // On PostgreSQL a change is among the records and events a moment later.
    if (method === 'GET') await app.storage.settleJournal()
    const response = await call(method, path, request)
    const operation = operationOf(method, path)
    if (response.status < 400 && operation !== undefined) succeeded.add(operation)
    note(`${method} ${path}`, {
      status: response.status,
      headers: comparedHeaders(response),
      body: comparedBody(response),
    })
    return response
  }

  type Send = (method: string, path: string, request: Request) => Promise<Answer>
  const callerOf = (send: Send, own: Request = {}): Caller => {
    return async (line, body, { refused, ...request } = {}) => {
      const [method = '', path = ''] = line.split(' ', 2)
      const headers = { ...own.headers, ...request.headers }
      const response = await send(method, path, { ...own, ...request, headers, ...(body !== undefined && { body }) })
      if (refused === undefined) assert.ok(response.status < 400, `${line}: ${response.status} ${response.text}`)
      else assert.equal(response.status, refused, `${line}: ${response.text}`)
      return response.body ?? response.text
    }
  }
  const request = () => ({ actor: system, now: clock(), requestId: 'script' })
  const script: Script = {
    t,
    app,
    clock,
    mailServer,
    request,
    admin: callerOf(app.call),
    visitor: callerOf(app.call, { key: null }),
    holder: (credential) => callerOf(app.call, { key: null, headers: { authorization: `Bearer ${credential}` } }),
    in: (browser) => callerOf(browser.call),
    async signIn(username, password) {
      const browser = await openBrowser(app, username, password)
      return { ...browser, caller: callerOf(browser.call) }
    },
    note,
    change: (name, input) => script.together(name, [input]),
    async together(name, inputs) {
      await clock.pass(stepMs)
      const done = await Promise.all(inputs.map((input) => app.storage.change(name, input, request())))
      note(
        name,
        done.map(({ result }) => result),
      )
    },
  }
  let [records, events] = [0, 0]
  for (const part of parts) {
    await part(script).catch((cause) => {
      throw new Error(`${part.name} failed after the step ${steps.at(-1)?.split('\n', 1)}`, { cause })
    })
    const left = await recordsOf(app, records)
    records = left.at(-1)?.seq ?? records
    steps.push(...entries(left.map(({ record_id: _, seq: __, ...one }) => ['record', one.occurred_at, one])))
    const published = await app.runSql(`SELECT * FROM events WHERE seq > ${events} ORDER BY seq`)
    events = Number(published.at(-1)?.seq ?? events)
    steps.push(...entries(published.map(({ event_id: _, seq: __, ...one }) => ['event', one.occurred_at, one])))
  }

  /** A change of many users has no order among them. */
  function entries(rows: [kind: string, at: unknown, row: object][]): string[] {
    const ofOneTime = Map.groupBy(rows, ([, at]) => at)
    return [...ofOneTime.values()].flatMap((some) => some.map(([kind, , row]) => normalize(kind, row)).sort())
  }
  const operations = Object.values(app.document.paths).flatMap((methods) => Object.values(methods))
  return { steps, succeeded, operations: operations.map(({ operationId }) => operationId) }
}

/** Whether the store has such rows: `users WHERE active = 1`. */
export async function isAny(app: Started, rows: string): Promise<boolean> {
  return (await app.runSql(`SELECT 1 FROM ${rows} LIMIT 1`)).length > 0
}

/** Waits until this holds. The limit only ends a hang. */
export function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  return eventually(what, holds, 240_000)
}

/** Calls back with the name of each change, read and list that succeeds. */
function watch(storage: Storage, onSuccess: (name: string) => void): void {
  for (const method of ['change', 'query', 'openSnapshot'] as const) {
    const run = storage[method] as (name: string, ...rest: unknown[]) => Promise<unknown>
    Object.assign(storage, {
      async [method](name: string, ...rest: unknown[]) {
        const result = await run(name, ...rest)
        onSuccess(name)
        return result
      },
    })
  }
}

function operationFinder(app: Started): (method: string, path: string) => string | undefined {
  const { paths } = app.document
  const forms = Object.keys(paths).map((path) => ({
    path,
    form: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return (method, url) => {
    const [asked = ''] = url.split('?', 1)
    // As the router has it: a path as it stands goes before one with a parameter.
    const found = asked in paths ? asked : forms.find(({ form }) => form.test(asked))?.path
    return found && paths[found]?.[method.toLowerCase()]?.operationId
  }
}

/** They differ with each request, or with the build. */
const uncompared = new Set(['date', 'x-request-id', 'content-length', 'content-security-policy'])

function comparedHeaders({ headers }: Answer): Record<string, unknown> {
  const cookie = headers['set-cookie'] && { 'set-cookie': withoutValues(headers['set-cookie']) }
  return { ...Object.fromEntries(Object.entries(headers).filter(([name]) => !uncompared.has(name))), ...cookie }
}

/** The names and attributes of cookies. */
function withoutValues(cookies: string | string[]): string[] {
  return [cookies].flat().map((cookie) => cookie.replace(/=[^;]+/, '=<value>'))
}

/** Pages have tests of their own; metrics and the state of the service are about the engine. */
function comparedBody({ headers, body, text }: Answer): unknown {
  if (body?.storage?.engine !== undefined) return Object.keys(body)
  const type = String(headers['content-type'])
  if (/^text\/html|^text\/plain; version/.test(type) || text.startsWith('age-encryption')) return type
  // A job says how far it is if it takes long.
  return body ?? text.replaceAll(/^\{"type":"progress".*\n/gm, '')
}
