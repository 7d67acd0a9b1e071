/**
 * Nodes are killed while they invite users, with a mail server that fails and recovers: each user gets one working message.
 * A copy is only possible in the window that docs/email.md names, between the server's 250 and the commit: the test reads the
 * store after each kill, so it knows what was committed, however slow the machine is. The nodes that stop at the end wait for the messages
 * that they are sending (docs/decisions/0066-messages.md, 0154), so a stop causes no copy either.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimedAtOnce } from '../../src/record/mails/sending/dispatch.ts'
import { makePlace, type Place, type Service, startService } from '../durability/process.ts'
import { adminKey, engines } from '../harness.ts'
import { stallMs } from '../time-limit.ts'
import { type MailServer, type Received, startMailServer } from './mail-server.ts'
import { mailEnv } from './mailing.ts'

/** For the long way: `ROLLBOOK_TEST_MAILS=10000 npm test -- test/mails/kill.test.ts`. */
const count = Number(process.env.ROLLBOOK_TEST_MAILS ?? 300)
const kills = Math.max(4, Math.round(count / 500))
const [invitersAtOnce, usedLinks, reportedEach] = [8, 10, 500]
/** The median of the times from the server's 250 to the commit: results may wait for each other, but not for other work. */
const usualWindowMs = 1000
const password = 'a moth in relay seventy'
const timeout = 900_000 + 120 * count

/** The nodes as they are now; one that was killed is started again. */
type Nodes = { all: Service[]; place: Place; env: Record<string, string> }

/** The runner ends a run from which it hears nothing for minutes. */
const report = (text: string) => console.log(`# ${text}`)

async function createUsers(service: Service): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, n) => `{"username":"user.${n}","email":"user.${n}@example.com"}`)
  const response = await fetch(`${service.url}/users/import`, {
    method: 'POST',
    headers: { 'x-api-key': adminKey, 'content-type': 'application/x-ndjson' },
    body: rows.join('\n'),
  })
  assert.equal(response.status, 200, await response.text())
  const ids: string[] = []
  for (let path: string | undefined = '/users?limit=1000'; path !== undefined; ) {
    const page = await service.call('GET', path)
    for (const { user_id } of (await page.json()) as { user_id: string }[]) ids.push(user_id)
    const [, next] = /<[^>]*(\/users\?[^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? []
    path = next
  }
  return ids
}

/** Invites as a careful client does: a request without a response is sent again, to any node, with the same key. */
async function inviteAll({ all }: Nodes, ids: readonly string[]): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < ids.length) {
      if (next % reportedEach === 0) report(`${next} of ${count} invited`)
      const path = `/users/${ids[next++]}/invitation`
      const headers = { 'idempotency-key': randomUUID() }
      for (let tried = 0; ; tried++) {
        const service = all[(next + tried) % all.length] as Service
        const response = await service.call('POST', path, {}, headers).catch(() => undefined)
        if (response?.status === 200) break
        assert.ok(response === undefined || response.status >= 500 || response.status === 409, String(response?.status))
        assert.ok(tried < 5000)
        await sleep(100)
      }
    }
  }
  await Promise.all(Array.from({ length: invitersAtOnce }, work))
}

/** What the store said when a node was dead: the messages that a node had claimed and not settled. */
type Kill = { readAt: number; open: Set<string> }

/** Kills a node after the other, each at a moment that no test chose; meanwhile the mail server fails and recovers. */
async function killAgainAndAgain(t: TestContext, nodes: Nodes, server: MailServer): Promise<Kill[]> {
  const { all, place, env } = nodes
  const found: Kill[] = []
  for (let round = 0; round < kills; round++) {
    await sleep(500 + 1000 * Math.random())
    const node = round % all.length
    // For a while the server breaks off after the data of some messages, or does not listen at all.
    server.behave((stage, n) => (stage === 'data' && round % 2 === 0 && n % 20 === 3 ? 'drop' : undefined))
    if (round % 4 === 1) await server.stop()
    const dead = all[node] as Service
    assert.equal((await dead.end('SIGKILL')).signal, 'SIGKILL')
    const open = await place.runSql('SELECT mail_id FROM mails WHERE claimed_until IS NOT NULL')
    found.push({ readAt: performance.now(), open: new Set(open.map(({ mail_id }) => String(mail_id))) })
    report(`kill ${round + 1} of ${kills}`)
    all[node] = await startService(t, { ...place, env })
    if (round % 4 === 1) await server.resume()
  }
  server.behave(() => undefined)
  return found
}

const countOf = async ({ place }: Nodes, condition: string) =>
  Number((await place.runSql(`SELECT count(*) AS n FROM mails WHERE ${condition}`))[0]?.n)

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000 + 30 * count
  for (let n = 0; !(await holds()); n++) {
    assert.ok(Date.now() < deadline, what)
    if (n % 100 === 0) report(`waiting for ${what}`)
    await sleep(200)
  }
}

/** Sends the rest without waiting for the leases of killed nodes, and for the delays of messages that broke off. */
async function finish(t: TestContext, nodes: Nodes): Promise<Service> {
  const { all, place, env } = nodes
  // Messages that were never tried and are unclaimed are sent by the remaining nodes. A node that is killed while it tries a failing
  // server keeps the others from trying until its lease ends.
  await until('the untried ones', async () => {
    await place.runSql('UPDATE mail_servers SET paused_until = NULL')
    return (await countOf(nodes, `status = 'waiting' AND claimed_until IS NULL AND attempt_count = 0`)) === 0
  })
  await Promise.all(all.map((one) => one.end('SIGTERM')))
  await place.runSql(`UPDATE mails SET next_attempt_at = created_at WHERE status = 'waiting'`)
  await place.runSql('UPDATE mail_servers SET paused_until = NULL')
  const last = await startService(t, { ...place, env })
  await until('the rest', async () => (await countOf(nodes, `status = 'sent'`)) === count)
  return last
}

function copiesOf(server: MailServer): Map<string, Received[]> {
  const found = new Map<string, Received[]>()
  for (const one of server.received) {
    const [, id = ''] = /^<(.+)@orchard\.example>$/.exec(one.mail.messageId ?? '') ?? []
    found.set(id, [...(found.get(id) ?? []), one])
  }
  return found
}

/** Returns how many copies there were for each reason. */
function checkCopies(copies: Map<string, Received[]>, allKills: readonly Kill[]): { broken: number; killed: number } {
  const found = { broken: 0, killed: 0 }
  for (const [id, all] of copies) {
    assert.equal(new Set(all.map(({ to }) => to[0])).size, 1, 'a Message-ID belongs to one user')
    for (const { at, wasDropped } of all.slice(0, -1)) {
      const wasOpen = allKills.some(({ readAt, open }) => at <= readAt && open.has(id))
      assert.ok(
        wasDropped || wasOpen,
        `${id} was sent again, although the store had it as sent whenever a node was killed`,
      )
      found[wasDropped ? 'broken' : 'killed']++
    }
  }
  assert.ok(found.killed <= claimedAtOnce * kills, `${found.killed} copies after ${kills} kills`)
  return found
}

/** Returns the sorted milliseconds from the server's 250 to the commit. */
async function windowsOf({ place }: Nodes, copies: Map<string, Received[]>): Promise<number[]> {
  const rows = await place.runSql('SELECT mail_id, finished_at FROM mails')
  return rows
    .map(({ mail_id, finished_at }) => {
      const [last] = copies.get(String(mail_id))?.slice(-1) ?? []
      return Date.parse(String(finished_at)) - (performance.timeOrigin + (last as Received).at)
    })
    .toSorted((a, b) => a - b)
}

/** Every copy shows the page, as a user may open any of them; some users choose a password. */
async function checkLinks(service: Service, copies: Map<string, Received[]>): Promise<void> {
  for (const [n, { mail }] of [...copies.values()].flat().entries()) {
    if (n % reportedEach === 0) report(`${n} links opened`)
    const page = await fetch(addressOf(service, mail.text))
    assert.equal(page.status, 200, await page.text())
  }
  for (const [first] of [...copies.values()].slice(0, usedLinks)) {
    const done = await fetch(addressOf(service, first?.mail.text), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ new_password: password }),
    })
    assert.equal(done.status, 200, await done.text())
  }
}

function addressOf(service: Service, text = ''): string {
  const [, path] = /http:\/\/orchard\.example\/auth(\/invitation\/[\w-]{43})/.exec(text) ?? []
  assert.ok(path, text)
  return service.url + path
}

for (const engine of engines) {
  describe(`${count} invitations on ${engine.name}`, () => {
    it('reach each user with one working message, whenever nodes are killed', { timeout }, async (t) => {
      const server = await startMailServer(t)
      const place = await makePlace(t, engine)
      const env = {
        ...place.env,
        ...mailEnv,
        ROLLBOOK_SMTP_URL: server.url,
        ROLLBOOK_RATE_LIMIT: '0',
        // After that, a stop cuts off what a busy machine has not sent, and the next node sends it again.
        ROLLBOOK_SHUTDOWN_SECONDS: '600',
      }
      const start = () => startService(t, { ...place, env })
      const all = [await start()]
      if (engine.name === 'PostgreSQL') all.push(await start())
      const nodes: Nodes = { all, place, env }
      const ids = await createUsers(all[0] as Service)
      assert.equal(ids.length, count)
      const [killed] = await Promise.all([killAgainAndAgain(t, nodes, server), inviteAll(nodes, ids)])
      const last = await finish(t, nodes)
      const copies = copiesOf(server)
      assert.equal(copies.size, count, 'one message for each')
      const recipients = new Set([...copies.values()].map(([first]) => first?.to[0]))
      assert.equal(recipients.size, count, 'each user has one')
      const found = checkCopies(copies, killed)
      const windows = await windowsOf(nodes, copies)
      const [usual, most] = [0.5, 0.99].map((share) => Math.round(windows[Math.floor(share * count)] as number))
      t.diagnostic(
        `${kills} kills; copies: ${found.killed} of ${count} in the window at a kill, ${found.broken} after the connection broke; from the 250 to the commit: ${usual} ms, p99 ${most} ms`,
      )
      assert.ok((usual as number) <= usualWindowMs + stallMs, `${usual} ms`)
      await checkLinks(last, copies)
    })
  })
}
