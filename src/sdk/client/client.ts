import { Access } from './access.ts'
import { AccessRequests } from './access-requests.ts'
import { Attributes } from './attributes.ts'
import { Branding } from './branding.ts'
import { Configuration } from './configuration.ts'
import { Connections } from './connections.ts'
import { Factors } from './factors.ts'
import { Groups } from './groups.ts'
import { Imports } from './imports.ts'
import { CliLogins, Keys, SigningKeys, Tokens } from './keys.ts'
import { Mails } from './mails.ts'
import { type AnswerOf, type Calls, createCalls, type QueryOf } from './operations.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { Organizations } from './organizations.ts'
import { Provisioning } from './provisioning.ts'
import { Audit, Events, Health } from './records.ts'
import { Reviews } from './reviews.ts'
import { PoliciesOfUsers, Roles } from './roles.ts'
import { Myself, Sessions, Setup } from './sessions.ts'
import { type Answer, type Body, createTransport, type Request, type Streamed, type Transport } from './transport.ts'
import type { Statistics } from './types.ts'
import { DeletedUsers, Users } from './users.ts'
import { Webhooks } from './webhooks.ts'

export type RequestOptions = Omit<Request, 'method' | 'path' | 'json' | 'body'> & {
  /** Plain objects and arrays are sent as JSON. For text, bytes or a stream, set `content-type` in `headers`. */
  body?: unknown
}

/**
 * A client of one Rollbook service, with a method for each operation.
 *
 * ```ts
 * import { RollbookClient } from '@rollbook/sdk/client'
 *
 * const client = new RollbookClient({ url: 'https://orchard.example.com/auth', apiKey: 'rb_…' })
 *
 * const user = await client.users.create({ username: 'ada.lovelace' })
 * await client.users.update(user, { first_name: 'Ada' })
 * ```
 */
export class RollbookClient {
  readonly users: Users
  readonly deletedUsers: DeletedUsers
  readonly groups: Groups
  readonly organizations: Organizations
  readonly provisioning: Provisioning
  readonly connections: Connections
  readonly attributes: Attributes
  readonly branding: Branding
  readonly configuration: Configuration
  readonly imports: Imports
  readonly factors: Factors
  readonly sessions: Sessions
  readonly me: Myself
  readonly setup: Setup
  readonly keys: Keys
  readonly cliLogins: CliLogins
  readonly tokens: Tokens
  readonly signingKeys: SigningKeys
  readonly roles: Roles
  readonly policies: PoliciesOfUsers
  readonly webhooks: Webhooks
  readonly mails: Mails
  readonly accessRequests: AccessRequests
  readonly events: Events
  readonly audit: Audit
  readonly access: Access
  readonly reviews: Reviews
  readonly health: Health
  readonly #transport: Transport
  readonly #calls: Calls

  constructor(options: ClientOptions) {
    this.#transport = createTransport(options)
    const calls = createCalls(this.#transport)
    this.imports = new Imports(calls)
    this.users = new Users(calls, this.imports)
    this.deletedUsers = new DeletedUsers(calls)
    this.groups = new Groups(calls)
    this.organizations = new Organizations(calls)
    this.provisioning = new Provisioning(calls)
    this.connections = new Connections(calls)
    this.factors = new Factors(calls)
    this.attributes = new Attributes(calls)
    this.branding = new Branding(calls)
    this.configuration = new Configuration(calls)
    this.sessions = new Sessions(calls)
    this.me = new Myself(calls)
    this.setup = new Setup(calls)
    this.keys = new Keys(calls)
    this.cliLogins = new CliLogins(calls)
    this.tokens = new Tokens(calls)
    this.signingKeys = new SigningKeys(calls)
    this.roles = new Roles(calls)
    this.policies = new PoliciesOfUsers(calls)
    this.webhooks = new Webhooks(calls)
    this.mails = new Mails(calls)
    this.accessRequests = new AccessRequests(calls)
    this.events = new Events(calls)
    this.audit = new Audit(calls)
    this.access = new Access(calls)
    this.reviews = new Reviews(calls)
    this.health = new Health(calls)
    this.#calls = calls
  }

  /** Returns the metrics in the text format of Prometheus. */
  metrics(options: CallOptions = {}): Promise<string> {
    return this.#calls.call('GET /metrics', { ...options, headers: { accept: 'text/plain', ...options.headers } })
  }

  /**
   * Returns what happened on each of the last `days` days (default 30), and how many users there are.
   *
   * ```ts
   * await client.users.create({ username: 'counted' })
   * const { days, totals } = await client.statistics({ days: 7 })
   * console.log(days.length, totals.users > 0) // 7 true
   * ```
   */
  statistics(query: QueryOf<'GET /statistics'> = {}, options: CallOptions = {}): Promise<Statistics> {
    return this.#calls.call('GET /statistics', { ...options, query })
  }

  /** Returns how the service is deployed, and how it sees this request. */
  deployment(options: CallOptions = {}): Promise<AnswerOf<'GET /deployment'>> {
    return this.#calls.call('GET /deployment', options)
  }

  /**
   * Sends any request below the prefix, with the same retries and errors as the other methods.
   *
   * ```ts
   * const { status, body } = await client.request('GET', '/roles')
   * console.log(status, Array.isArray(body)) // 200 true
   * ```
   */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#transport.send(requestOf(method, path, options))
  }

  /** Sends a request like `request`, and returns the response as a stream. */
  open(method: string, path: string, options: RequestOptions = {}): Promise<Streamed> {
    return this.#transport.open(requestOf(method, path, options))
  }
}

function requestOf(method: string, path: string, { body, ...options }: RequestOptions): Request {
  const isJson = body !== undefined && (Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype)
  return { ...options, method, path, ...(isJson ? { json: body } : { body: body as Body | undefined }) }
}
