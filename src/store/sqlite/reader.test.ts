import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { assertWithin } from '../../../test/time-limit.ts'
import type { Page } from '../../administration/users-list/list.ts'
import type { ListPlan } from '../../administration/users-list/plan.ts'
import { filtersWithin } from '../../administration/users-list/service.ts'
import { handlers } from '../../app/handlers.ts'
import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import { lazyReader, type Reader, type ReaderOptions } from './reader.ts'
import { keepThreads } from './threads.ts'

const program = handlers.threads.reader

/** A user whose email address SQLite computes on access, by counting this far: about a third of a second, twice for a page with its count. */
function readerOf(t: TestContext, options: Partial<ReaderOptions> = {}, steps = 2_500_000): Reader {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const path = join(directory, 'slow.db')
  const database = new DatabaseSync(path)
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE migrations (name TEXT);
    CREATE TABLE people (row_id INTEGER PRIMARY KEY);
    INSERT INTO people DEFAULT VALUES;
    CREATE VIEW users AS SELECT row_id, 'a' AS user_id, '{}' AS document, 'quick' AS role, (
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${steps})
      SELECT iif(max(n) > 0, 'slow', '') FROM numbers) AS email_key FROM people`)
  database.close()
  const reader = lazyReader({ program, path, queueLimit: 4, handedOver: 1, limitMs: 20_000, ...options })
  t.after(async () => {
    await reader.close()
    rmSync(directory, { recursive: true })
  })
  return reader
}

/** Endless users: a search for one that does not exist never ends. */
function endlessReader(t: TestContext): Reader {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const path = join(directory, 'endless.db')
  const database = new DatabaseSync(path)
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE VIEW users AS WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
      SELECT n AS row_id, 'a' AS user_id, '{}' AS document, format('role-%d', n) AS role FROM numbers`)
  database.close()
  const reader = lazyReader({ program, path, queueLimit: 4, handedOver: 1, limitMs: 60_000 })
  t.after(async () => {
    await reader.close()
    rmSync(directory, { recursive: true })
  })
  return reader
}

type Pace = 'quick' | 'slow'

const planOf = (pace: Pace): ListPlan => ({
  filters: filtersWithin(scopeOf(system), pace === 'slow' ? { email_key: 'slow' } : { role: 'quick' }),
  sort: { column: 'user_id', descending: false },
  limit: 10,
  count: true,
  format: 'json',
})

const endlessPage: ListPlan = {
  filters: filtersWithin(scopeOf(system), { role: 'nobody' }),
  sort: { column: 'user_id', descending: false },
  limit: 10,
  count: false,
  format: 'json',
}

async function find(reader: Reader, pace: Pace, caller = 'ada', signal?: AbortSignal): Promise<number | undefined> {
  const request = { kind: 'query', name: 'users.page', input: planOf(pace) } as const
  return ((await reader.call(request, { caller, ...(signal && { signal }) })) as Page).total
}

async function assertRejected(work: Promise<unknown>): Promise<AppError> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof AppError)
    return error
  }
  throw new Error('It was not refused.')
}

const openSnapshot = (reader: Reader, snapshot: number, pace: Pace) =>
  reader.call({ kind: 'open', snapshot, name: 'users.list', input: planOf(pace) }, { caller: 'ada' })

const next = (reader: Reader, snapshot: number) => reader.call({ kind: 'next', snapshot }, { caller: 'ada' })

/** Stops the clock of the limits: a query takes as long as the test says, however busy the machine is. */
function stopClock(t: TestContext): (ms: number) => void {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return (ms) => t.mock.timers.tick(ms)
}

describe('a reader thread on SQLite', () => {
  it('ends a query that takes too long, at once, and runs the others', async (t) => {
    const pass = stopClock(t)
    const reader = readerOf(t, { limitMs: 1500 })
    await find(reader, 'quick')
    const slow = find(reader, 'slow')
    const others = [find(reader, 'quick'), find(reader, 'quick', 'eve')]
    pass(1499)
    const isRunning = await Promise.race([slow.then(String, () => false), nextTurn(true)])
    assert.ok(isRunning)
    pass(1)
    // The statement cannot be interrupted; nothing waits for it.
    const reason = await Promise.race([assertRejected(slow), nextTurn(undefined)])
    assert.ok(reason)
    assert.deepEqual([reason.code, reason.headers['retry-after']], ['overloaded', '1'])
    assert.match(reason.message, /took longer than 1.5 seconds/)
    assert.deepEqual(await Promise.all(others), [1, 1])
  })

  it('counts the time of a query from its own beginning, not from that of its waiting', async (t) => {
    const pass = stopClock(t)
    for (const handedOver of [1, 3]) {
      const reader = readerOf(t, { limitMs: 1500, handedOver }, 100_000)
      await find(reader, 'quick')
      const all = ['ada', 'eve', 'bob'].map((caller) => find(reader, 'slow', caller))
      for (const one of all) {
        pass(1400)
        assert.equal(await one, 1)
      }
    }
  })

  it('refuses requests when the queue is full, and skips those of disconnected clients', async (t) => {
    const reader = readerOf(t, {}, 1_000_000)
    await find(reader, 'quick')
    const running = find(reader, 'slow')
    const left = new AbortController()
    const waiting = Array.from({ length: 2 }, () => find(reader, 'slow', 'ada', left.signal))
    const others = ['eve', 'eve'].map((caller) => find(reader, 'quick', caller))
    await assert.rejects(find(reader, 'quick', 'bob'), { code: 'overloaded', headers: { 'retry-after': '1' } })
    left.abort()
    for (const each of waiting) await assert.rejects(each)
    assert.equal(await find(reader, 'quick', 'bob'), 1, 'there is room again')
    assert.deepEqual(await Promise.all(others), [1, 1])
    assert.equal(await running, 1)
    await assert.rejects(find(reader, 'quick', 'ada', left.signal))
  })

  it('ends a query when its client disconnects, and continues with the others in the same thread', async (t) => {
    const reader = endlessReader(t)
    const findUsers = (limit: number, role: string, signal?: AbortSignal) => {
      const input = { filters: filtersWithin(scopeOf(system), { role }), limit }
      return reader.call({ kind: 'query', name: 'users.matching', input }, { caller: 'ada', ...(signal && { signal }) })
    }
    const left = new AbortController()
    await assert.rejects(reader.call({ kind: 'query', name: 'users.page', input: endlessPage }, { caller: 'ada' }))
    const endless = findUsers(1, 'nobody', left.signal)
    await sleep(50)
    const next = reader.call({ kind: 'query', name: 'users.page', input: endlessPage }, { caller: 'eve' })
    left.abort()
    await assert.rejects(endless, /The client disconnected/)
    // And bounded work ends.
    await assert.rejects(next, { code: 'list_too_costly', status: 422 })
  })

  it('closes without waiting for running or waiting work', async (t) => {
    const reader = readerOf(t)
    await find(reader, 'quick')
    const answers = (['slow', 'slow', 'quick'] as const).map((pace, i) => find(reader, pace, `caller-${i}`))
    const settled = Promise.allSettled(answers)
    await sleep(20)
    const began = performance.now()
    await reader.close()
    assertWithin(1500, began)
    for (const each of await settled) {
      assert.equal(each.status, 'rejected')
      assert.equal(each.reason.code, 'draining')
    }
    await assert.rejects(find(reader, 'quick'), { code: 'draining' })
  })

  it('gives no thread to the next store that it has terminated, however late it hears from it', async (t) => {
    keepThreads()
    const reader = readerOf(t)
    assert.equal(await find(reader, 'quick'), 1)
    // Then timers come before messages.
    await nextTurn()
    const closed = reader.close()
    // As on a busy machine: the thread has answered in time, but this one only hears it when the time is over.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    await closed
    assert.equal(await find(readerOf(t), 'quick'), 1)
  })

  it('ends the opening of a snapshot that takes too long, and opens others in the next thread; running lists are lost', async (t) => {
    const pass = stopClock(t)
    const reader = readerOf(t, { queueLimit: 64, handedOver: 4, limitMs: 1500 })
    assert.equal(await openSnapshot(reader, 1, 'quick'), 1)
    const opened = Promise.allSettled([
      openSnapshot(reader, 2, 'slow'),
      next(reader, 1),
      openSnapshot(reader, 3, 'quick'),
    ])
    pass(1500)
    const [slow, lost, quick] = await opened
    assert.equal(slow.status, 'rejected')
    assert.equal(slow.reason.code, 'overloaded')
    assert.equal(lost.status, 'rejected')
    assert.deepEqual(quick, { status: 'fulfilled', value: 1 })
    await assert.rejects(next(reader, 1), /The snapshot is gone/)
  })
})
