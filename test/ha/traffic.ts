/** Clients that create, change, delete, read and list users through all doors, and remember what was acknowledged. */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Api, type Faults, type Request, retryAfterMs } from './api.ts'

type FeedEvent = { type: string; subject: string; sequence: string; data: unknown }

export type User = { user_id: string; username: string; last_name: string }

/** A user that was acknowledged, by what may be read of it. */
type Known = {
  user_id: string
  username: string
  /** What it must show: the last acknowledged value, or one written since by a change whose outcome is unknown. */
  lastNames: Set<string>
  /** A deletion was sent: it may be gone. */
  mayBeGone: boolean
}

const clients = 16
const pauseMs = 10
/** After so many attempts a client gives up: the failover has failed. */
const longestTryMs = 90_000

export class Traffic {
  readonly apis: readonly Api[]
  readonly #faults: Faults
  readonly #known = new Map<string, Known>()
  readonly #deleted = new Set<string>()
  /** Who was there before. */
  #others: Set<string> | undefined
  /** Usernames of creations that were refused with the words that nothing happened. */
  readonly #refused = new Set<string>()
  /** Usernames of creations with an unknown outcome. */
  readonly #unknown = new Set<string>()
  /** Names that many wanted, and who got them. */
  readonly #contested = new Map<string, string>()
  /** Answered creations with the Idempotency-Key they were made with, to ask again for. */
  readonly #keyed: { request: Request; path: string; id: string }[] = []
  readonly #keyNames = new Set<string>()
  /** What a follower of the change feed has: each user as JSON. */
  readonly #followed = { cursor: 0, users: new Map<string, string>() }
  readonly counts = {
    acknowledged: 0,
    created: 0,
    updated: 0,
    deleted: 0,
    read: 0,
    listed: 0,
    cut: 0,
    keys: 0,
    revoked: 0,
    repeated: 0,
  }
  #lastAcknowledged: Record<string, number> = {}
  #longestGap: Record<string, number> = {}
  #running: Promise<unknown> | undefined
  #stopping = false
  #number = 0

  constructor(apis: readonly Api[], faults: Faults) {
    this.apis = apis
    this.#faults = faults
  }

  get users(): number {
    return this.#known.size
  }

  async start(): Promise<void> {
    this.#others ??= new Set((await this.apis[0]?.list<User>('/users'))?.map(({ user_id }) => user_id))
    this.#stopping = false
    this.watchGaps()
    const writing = Array.from({ length: clients }, () => this.#client())
    const listing = this.apis.map((api) => this.#lister(api))
    this.#running = Promise.all([...writing, ...listing, this.#revoker()])
    // Told by pause(), which is where one waits for it.
    this.#running.catch(() => {})
  }

  /** Resolves when every client has the answer to what it had begun. */
  async pause(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  /** Resets the longest time without an acknowledged write. */
  watchGaps(): void {
    const now = performance.now()
    this.#lastAcknowledged = Object.fromEntries(this.apis.map(({ node }) => [node, now]))
    this.#longestGap = Object.fromEntries(this.apis.map(({ node }) => [node, 0]))
  }

  /** Seconds without an acknowledged write, by node. */
  gaps(): Record<string, number> {
    const now = performance.now()
    return Object.fromEntries(
      this.apis.map(({ node }) => {
        const longest = Math.max(this.#longestGap[node] ?? 0, now - (this.#lastAcknowledged[node] ?? now))
        return [node, longest / 1000]
      }),
    )
  }

  lastAcknowledged(node: string): number {
    return this.#lastAcknowledged[node] ?? 0
  }

  #acknowledge(api: Api): void {
    const now = performance.now()
    const { node } = api
    this.#longestGap[node] = Math.max(this.#longestGap[node] ?? 0, now - (this.#lastAcknowledged[node] ?? now))
    this.#lastAcknowledged[node] = now
    this.counts.acknowledged++
  }

  // --- one client after another thing ---

  async #client(): Promise<void> {
    const own: Known[] = []
    while (!this.#stopping) {
      const api = this.apis[randomInt(this.apis.length)] as Api
      const user = own[randomInt(1_000_000) % Math.max(1, own.length)]
      const choice = randomInt(100)
      if (user === undefined || choice < 25) await this.#create(api, own, true)
      else if (choice < 35) await this.#create(api, own, false)
      else if (choice < 38) await this.#createContested(api)
      else if (choice < 41) await this.#createKey(api)
      else if (choice < 66) await this.#update(api, user)
      else if (choice < 76) await this.#delete(api, own, user)
      else await this.#read(api, user)
      await sleep(pauseMs)
    }
  }

  async #create(api: Api, own: Known[], keyed: boolean): Promise<void> {
    const username = `user-${++this.#number}`
    const last_name = `made ${this.#number}`
    const body = { username, last_name }
    const request = keyed ? { body, idempotencyKey: `create-${username}` } : { body }
    const { response: answer, by } = keyed
      ? await this.#untilAnswered(api, 'POST', '/users', request)
      : await once(api, request)
    if (answer?.status === 201) {
      this.#acknowledge(by)
      this.counts.created++
      const known = { user_id: answer.body.user_id, username, lastNames: new Set([last_name]), mayBeGone: false }
      this.#known.set(known.user_id, known)
      own.push(known)
      if (answer.body.username !== username) this.#faults.add('An answer is to its request', `${username}`)
      if (keyed) this.#keyed.push({ request, path: '/users', id: known.user_id })
    } else if (answer === undefined || answer.code === 'outcome_unknown') {
      this.#unknown.add(username)
    } else if (answer.status === 503) {
      this.#refused.add(username)
    } else if (answer.code === 'username_taken') {
      // No one else uses this name: an earlier attempt of our own took it.
      this.#faults.add('Nothing is applied twice', `POST ${username}: ${answer.code}`)
    }
  }

  /** A name that several clients want in the same second, in different spellings. */
  async #createContested(api: Api): Promise<void> {
    const name = `wanted-${Math.floor(Date.now() / 1000)}`
    const username = randomInt(2) === 0 ? name : name.toUpperCase()
    const request = { body: { username }, idempotencyKey: `wish-${++this.#number}` }
    const { response: answer, by } = await this.#untilAnswered(api, 'POST', '/users', request)
    if (answer?.status !== 201) return
    this.#acknowledge(by)
    const { user_id } = answer.body
    if (this.#contested.has(name)) this.#faults.add('Usernames are unique', `${name} was acknowledged twice`)
    this.#contested.set(name, user_id)
    this.#known.set(user_id, { user_id, username, lastNames: new Set(['']), mayBeGone: false })
    this.#keyed.push({ request, path: '/users', id: user_id })
  }

  /** Names of API keys need not be unique, so a creation applied twice would be seen. */
  async #createKey(api: Api): Promise<void> {
    const name = `key-${++this.#number}`
    const request = { body: { name, permissions: ['users:read'] }, idempotencyKey: `make-${name}` }
    const { response: answer, by } = await this.#untilAnswered(api, 'POST', '/keys', request)
    if (answer?.status !== 201) return
    this.#acknowledge(by)
    this.counts.keys++
    this.#keyNames.add(name)
    this.#keyed.push({ request, path: '/keys', id: answer.body.key_id })
  }

  async #update(api: Api, user: Known): Promise<void> {
    const last_name = `changed ${++this.#number}`
    const response = await api.call('PATCH', `/users/${user.user_id}`, { body: { last_name } })
    if (response?.status === 200) {
      this.#acknowledge(api)
      this.counts.updated++
      user.lastNames = new Set([last_name])
    } else if (response === undefined || response.code === 'outcome_unknown') {
      user.lastNames.add(last_name)
    } else if (response.status !== 503) {
      this.#faults.add('What was acknowledged stays', `PATCH ${user.username}: ${response.status} ${response.code}`)
    }
  }

  async #delete(api: Api, own: Known[], user: Known): Promise<void> {
    own.splice(own.indexOf(user), 1)
    const path = `/users/${user.user_id}`
    user.mayBeGone = true
    const { response: answer, by, wasUnknown } = await this.#untilAnswered(api, 'DELETE', path, {})
    if (answer?.status === 200 || (answer?.status === 404 && wasUnknown)) {
      this.#acknowledge(by)
      this.counts.deleted++
      this.#known.delete(user.user_id)
      this.#deleted.add(user.user_id)
    } else {
      this.#faults.add('What was acknowledged stays', `DELETE ${user.username}: ${answer?.status} ${answer?.code}`)
    }
  }

  async #read(api: Api, user: Known): Promise<void> {
    const response = await api.call('GET', `/users/${user.user_id}`)
    if (response?.status === 503) return
    this.counts.read++
    if (response?.status !== 200 || !user.lastNames.has(response.body.last_name)) {
      const seen = `${response?.status} '${response?.body?.last_name}' instead of '${[...user.lastNames].join("' or '")}'`
      this.#faults.add('Reads show what was acknowledged before', `${user.username} on ${api.node}: ${seen}`)
    }
  }

  /** Reads the whole list now and then: who was there before and is not being deleted must be in it. */
  async #lister(api: Api): Promise<void> {
    while (!this.#stopping) {
      const before = [...this.#known.values()].filter(({ mayBeGone }) => !mayBeGone)
      const deleted = [...this.#deleted]
      const listed = await api.list<User>('/users')
      if (listed === undefined) {
        this.counts.cut++
      } else {
        this.counts.listed++
        const found = new Set(listed.map(({ user_id }) => user_id))
        const missing = before.filter(({ user_id, mayBeGone }) => !mayBeGone && !found.has(user_id))
        for (const { username } of missing) this.#faults.add('A list that ends is whole', `${username} on ${api.node}`)
        for (const id of deleted) if (found.has(id)) this.#faults.add('What was deleted stays away', `${id} in a list`)
      }
      await sleep(1500)
    }
  }

  /** Makes keys, lets every node see them, and revokes them: a second later no node may accept them. */
  async #revoker(): Promise<void> {
    while (!this.#stopping) {
      const api = this.apis[randomInt(this.apis.length)] as Api
      const body = { name: 'soon revoked', permissions: ['users:read'] }
      const created = await this.#untilAnswered(api, 'POST', '/keys', {
        body,
        idempotencyKey: `soon-${++this.#number}`,
      })
      if (created.response?.status !== 201) continue
      const { key, key_id } = created.response.body
      const use = () => Promise.all(this.apis.map((one) => one.call('GET', '/users?limit=1', { key })))
      await use()
      const { response: answer } = await this.#untilAnswered(api, 'DELETE', `/keys/${key_id}`, {})
      if (answer?.status === 200) this.counts.revoked++
      await sleep(1000)
      for (const [i, used] of (await use()).entries()) {
        if (used?.status === 200) {
          this.#faults.add('A revoked key is refused everywhere within a second', `${key_id} on ${this.apis[i]?.node}`)
        }
      }
    }
  }

  /** Sends the same request again, through the next door, as long as it is refused for the time being. */
  async #untilAnswered(
    first: Api,
    method: string,
    path: string,
    request: Request,
  ): Promise<{ response: Answer | undefined; by: Api; wasUnknown: boolean }> {
    const deadline = performance.now() + longestTryMs
    let wasUnknown = false
    for (let by = first; ; by = this.#next(by)) {
      const response = await by.call(method, path, request)
      const mustWait = response === undefined || response.status === 503 || response.code === 'idempotency_in_progress'
      if (!mustWait || performance.now() > deadline) return { response, by, wasUnknown }
      wasUnknown ||= response === undefined || response.code === 'outcome_unknown'
      this.counts.repeated++
      await sleep(retryAfterMs(response))
    }
  }

  #next(api: Api): Api {
    return this.apis[(this.apis.indexOf(api) + 1) % this.apis.length] as Api
  }

  // --- the account, while nothing moves ---

  /** Compares what each node shows with what was acknowledged. */
  async verify(): Promise<void> {
    for (const api of this.apis) {
      const users = await api.list<User>('/users')
      const keys = await api.list<{ name: string }>('/keys')
      if (users === undefined || keys === undefined) {
        this.#faults.add('Both nodes answer after the failover', `the list of ${api.node} broke off`)
        continue
      }
      this.#verifyUsers(users, api.node)
      await this.#verifyFeed(api, users)
      for (const name of this.#keyNames) {
        const count = keys.filter((key) => key.name === name).length
        if (count !== 1) this.#faults.add('Each Idempotency-Key has one effect', `${name} is there ${count} times`)
      }
    }
    await this.#verifyReplays()
  }

  #verifyUsers(users: User[], node: string): void {
    const found = new Map(users.map((user) => [user.user_id, user]))
    const names = new Set(users.map(({ username }) => username.toLowerCase()))
    if (names.size !== users.length)
      this.#faults.add('Usernames are unique', `${users.length} users, ${names.size} names`)
    for (const known of this.#known.values()) {
      const user = found.get(known.user_id)
      if (user === undefined && known.mayBeGone) continue
      if (user === undefined) this.#faults.add('No acknowledged user is lost', `${known.username} on ${node}`)
      else if (!known.lastNames.has(user.last_name) || user.username !== known.username) {
        const seen = `'${user.last_name}' instead of '${[...known.lastNames].join("' or '")}'`
        this.#faults.add('No acknowledged change is lost', `${known.username} on ${node}: ${seen}`)
      }
      found.delete(known.user_id)
    }
    for (const { user_id, username } of found.values()) {
      if (this.#others?.has(user_id)) continue
      if (this.#deleted.has(user_id)) this.#faults.add('What was deleted stays away', `${username} on ${node}`)
      else if (this.#refused.has(username)) {
        this.#faults.add('A refusal says the truth: nothing was changed', `${username} is there`)
      } else if (!this.#unknown.has(username)) this.#faults.add('Nobody is there unasked', `${username} on ${node}`)
    }
  }

  /** A follower of the change feed, on changing nodes, has exactly the existing users. */
  async #verifyFeed(api: Api, users: User[]): Promise<void> {
    const followed = this.#followed
    for (let isMore = true; isMore; ) {
      const response = await api.call('GET', `/events?limit=1000&after=${followed.cursor}`)
      if (response?.status !== 200) {
        this.#faults.add('The change feed can be followed', `${response?.status} ${response?.code} on ${api.node}`)
        return
      }
      const { events, cursor } = response.body as { events: FeedEvent[]; cursor: string }
      for (const { type, subject, sequence, data } of events) {
        if (Number(sequence) !== ++followed.cursor) {
          this.#faults.add('The change feed has no gap', `${sequence} instead of ${followed.cursor} on ${api.node}`)
        }
        if (/^user\.(created|updated|signed_in|restored)$/.test(type)) followed.users.set(subject, JSON.stringify(data))
        else if (/^user\.(deleted|erased)$/.test(type)) followed.users.delete(subject)
      }
      followed.cursor = Number(cursor)
      isMore = events.length > 0
    }
    const wrong = users.filter((user) => followed.users.get(user.user_id) !== JSON.stringify(user))
    if (wrong.length > 0 || followed.users.size !== users.length) {
      const seen = `${followed.users.size} users instead of ${users.length}, ${wrong.length} of them others, on ${api.node}`
      this.#faults.add('Whoever follows the changes has the same users', seen)
    }
  }

  /** The answers to the last keyed requests are still the same, also from the node that did not give them. */
  async #verifyReplays(): Promise<void> {
    for (const { request, path, id } of this.#keyed.slice(-20)) {
      for (const api of this.apis) {
        const response = await api.call('POST', path, request)
        const input = response?.body?.user_id ?? response?.body?.key_id
        if (response?.status !== 201 || input !== id || response.headers.get('idempotency-replayed') !== 'true') {
          const seen = `${request.idempotencyKey} on ${api.node}: ${response?.status} ${response?.code} ${input}, not ${id}`
          this.#faults.add('The same Idempotency-Key gets the first answer again', seen)
        }
      }
    }
  }
}

async function once(api: Api, request: Request) {
  return { response: await api.call('POST', '/users', request), by: api }
}
