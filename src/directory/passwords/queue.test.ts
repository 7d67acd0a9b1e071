import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { AppError } from '../../core/errors.ts'
import { createQueue, type TaskOptions } from './queue.ts'

describe('queue', () => {
  it('runs at most its concurrency at once, in the order of arrival', async () => {
    const queue = createQueue({ concurrency: 2, limit: 10 })
    const { tasks, started, finish } = controlledTasks(5)
    const results = Promise.all(tasks.map((task) => queue.run(task)))
    await sleep(0)
    assert.deepEqual(started, [0, 1])
    assert.equal(queue.queued, 3)

    finish(1)
    await sleep(0)
    assert.deepEqual(started, [0, 1, 2])
    const latecomer = queue.run(async () => 'last')
    assert.equal(queue.queued, 3)
    finish(0)
    finish(2)
    await sleep(0)
    assert.deepEqual(started, [0, 1, 2, 3, 4])
    assert.equal(queue.queued, 1)
    finish(3)
    finish(4)
    assert.deepEqual(await results, [0, 1, 2, 3, 4])
    assert.equal(await latecomer, 'last')
    assert.equal(queue.queued, 0)
  })

  it('refuses at once when it is full, and accepts again when there is room', async () => {
    const queue = createQueue({ concurrency: 1, limit: 1 })
    const { tasks, started, finish } = controlledTasks(2)
    const results = Promise.all(tasks.map((task) => queue.run(task)))
    const refused = await queue.run(() => assert.fail('must not run')).catch((error) => error)
    assert.ok(refused instanceof AppError)
    assert.equal(refused.code, 'overloaded')
    assert.equal(refused.headers['retry-after'], '1')

    finish(0)
    await sleep(0)
    assert.deepEqual(started, [0, 1])
    finish(1)
    await results
    assert.equal(await queue.run(async () => 'later'), 'later')
  })

  it('accepts nothing when no task may wait and all places are taken', async () => {
    const queue = createQueue({ concurrency: 1, limit: 0 })
    const { tasks, finish } = controlledTasks(1)
    const results = Promise.all(tasks.map((task) => queue.run(task)))
    await assert.rejects(
      queue.run(async () => {}),
      { code: 'overloaded' },
    )
    finish(0)
    await results
  })

  it('runs one expensive task at a time, and lets others pass waiting expensive ones', async () => {
    const queue = createQueue({ concurrency: 2, limit: 10 })
    const { tasks, started, finish } = controlledTasks(6)
    const dear = [true, true, false, false, true, false]
    const results = Promise.all(tasks.map((task, index) => queue.run(task, { isDear: dear[index] === true })))
    const afterwards = async (...indexes: number[]) => {
      for (const index of indexes) finish(index)
      await sleep(0)
      return started
    }
    assert.deepEqual(await afterwards(), [0, 2])
    assert.deepEqual(await afterwards(2), [0, 2, 3])
    assert.deepEqual(await afterwards(3), [0, 2, 3, 5])
    assert.deepEqual(await afterwards(5), [0, 2, 3, 5], 'its place is kept for others')
    assert.equal(await queue.run(async () => 'another'), 'another')
    assert.deepEqual(await afterwards(0), [0, 2, 3, 5, 1])
    assert.deepEqual(await afterwards(1), [0, 2, 3, 5, 1, 4])
    await afterwards(4)
    await results
    assert.deepEqual([queue.queued, queue.load().running], [0, 0])
  })

  it('runs expensive tasks in their turn if there is one place', async () => {
    const queue = createQueue({ concurrency: 1, limit: 10 })
    const { tasks, started, finish } = controlledTasks(3)
    const results = Promise.all(tasks.map((task, index) => queue.run(task, { isDear: index < 2 })))
    for (const index of [0, 1, 2]) finish(index)
    await results
    assert.deepEqual(started, [0, 1, 2])
  })

  it('keeps half of its waiting places for cheap tasks', async () => {
    const queue = createQueue({ concurrency: 1, limit: 4 })
    const { tasks, finish } = controlledTasks(5)
    const run = (index: number, isDear: boolean) => queue.run(tasks[index] ?? assert.fail(), { isDear })
    const taken = [run(0, true), run(1, true), run(2, true)]
    await assert.rejects(run(3, true), { code: 'overloaded' })
    taken.push(run(3, false), run(4, false))
    for (const index of tasks.keys()) finish(index)
    assert.deepEqual(await Promise.all(taken), [0, 1, 2, 3, 4])
  })

  it('serves known callers before strangers, who get one turn in four', async () => {
    const queue = createQueue({ concurrency: 1, limit: 40 })
    const { tasks, started, finish } = controlledTasks(21)
    const isStranger = (index: number) => index <= 12
    const results = Promise.all(tasks.map((task, index) => queue.run(task, { isStranger: isStranger(index) })))
    for (let count = 0; count < tasks.length; count++) {
      finish(started.at(-1) ?? 0)
      await sleep(0)
    }
    await results
    assert.deepEqual(started, [0, 13, 14, 15, 1, 16, 17, 18, 2, 19, 20, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  it('gives networks turns, however many attempts one of them has waiting', async () => {
    const queue = createQueue({ concurrency: 1, limit: 40 })
    const { tasks, started, finish } = controlledTasks(8)
    const from = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c']
    const results = Promise.all(
      tasks.map((task, index) => queue.run(task, { isStranger: true, from: from[index] ?? '' })),
    )
    for (let count = 0; count < tasks.length; count++) {
      finish(started.at(-1) ?? 0)
      await sleep(0)
    }
    await results
    assert.deepEqual(
      started.map((index) => from[index]),
      ['a', 'a', 'b', 'c', 'a', 'b', 'a', 'a'],
    )
  })

  it('keeps places for known callers, and gives a network with few waiting tasks a place of one with many', async () => {
    const queue = createQueue({ concurrency: 1, limit: 8 })
    const { tasks, finish } = controlledTasks(12)
    const outcomes: string[] = []
    const run = (index: number, options: TaskOptions) =>
      queue.run(tasks[index] ?? assert.fail(), options).then(
        () => outcomes.push(`${index}`),
        (error) => outcomes.push(`${index} ${error.code}`),
      )
    const loud = { isStranger: true, from: 'loud' }
    const all = Array.from({ length: 8 }, (_, index) => run(index, loud)) // One runs, six wait, the last is refused.
    await sleep(0)
    assert.deepEqual(outcomes, ['7 overloaded'])
    all.push(run(8, { isStranger: true, from: 'quiet' }))
    await sleep(0)
    assert.deepEqual(outcomes, ['7 overloaded', '6 overloaded'], 'the newest of the network with the most made room')
    all.push(run(9, {}), run(10, {}), run(11, {}))
    await sleep(0)
    assert.deepEqual(outcomes.slice(2), ['11 overloaded'], 'a quarter of the places is for known callers')
    for (const index of tasks.keys()) finish(index)
    await Promise.all(all)
    assert.deepEqual(outcomes.slice(3), ['0', '9', '10', '1', '8', '2', '3', '4', '5'])
  })

  it('never lets running tasks exceed the memory, and lets no smaller task pass forever', async () => {
    const queue = createQueue({ concurrency: 4, limit: 20, memoryLimitKib: 100 })
    const { tasks, started, finish } = controlledTasks(6)
    const memory = [60, 100, 40, 0, 40, 1000]
    const results = Promise.all(tasks.map((task, index) => queue.run(task, { memoryKib: memory[index] ?? 0 })))
    const afterwards = async (...indexes: number[]) => {
      for (const index of indexes) finish(index)
      await sleep(0)
      return [started.toSorted(), queue.load().memoryKib]
    }
    assert.deepEqual(await afterwards(), [[0, 3], 60], 'the third would fit, but the second waits for memory')
    assert.deepEqual(await afterwards(3), [[0, 3], 60])
    assert.deepEqual(await afterwards(0), [[0, 1, 3], 100])
    assert.deepEqual(await afterwards(1), [[0, 1, 2, 3, 4], 80])
    assert.deepEqual(await afterwards(2, 4), [[0, 1, 2, 3, 4, 5], 100], 'what needs more than there is runs alone')
    await afterwards(5)
    await results
    assert.deepEqual([queue.queued, queue.load().running, queue.load().memoryKib], [0, 0, 0])
  })

  it('gives the place of a task that failed to the next', async () => {
    const queue = createQueue({ concurrency: 1, limit: 5 })
    const failing = queue.run(async () => Promise.reject(new Error('broken')))
    const throwing = queue.run(() => {
      throw new Error('broken at once')
    })
    const next = queue.run(async () => 'next')
    await assert.rejects(failing, /^Error: broken$/)
    await assert.rejects(throwing, /broken at once/)
    assert.equal(await next, 'next')
    assert.equal(await queue.run(async () => 'free again'), 'free again')
  })

  it('tells refused callers how long the queue will take, from how long tasks took', async () => {
    const queue = createQueue({ concurrency: 2, limit: 198 })
    const millis: number[] = []
    for (let count = 0; count < 8; count++) {
      const startedAt = performance.now()
      await queue.run(() => sleep(100))
      millis.push(performance.now() - startedAt)
    }
    const { tasks, finish } = controlledTasks(200)
    const results = Promise.all(tasks.map((task) => queue.run(task)))
    const refused: AppError = await queue.run(async () => {}).catch((error) => error)
    // 200 tasks at two places, each of which takes 100 ms or, as first assumed, 50: between 5 and 10 s.
    const seconds = Number(refused.headers['retry-after'])
    assert.ok(Number.isInteger(seconds) && seconds > 5, String(seconds))
    assert.ok(seconds <= Math.ceil(Math.max(...millis) / 10), String(seconds))
    for (let count = 0; count < 200; count++) finish(count)
    await results
  })

  it('keeps its limits and loses nothing, whatever arrives and leaves', async () => {
    const arrivals = fc.array(
      fc.record({
        millis: fc.nat(2),
        fails: fc.boolean(),
        isDear: fc.boolean(),
        isStranger: fc.boolean(),
        from: fc.constantFrom('a', 'b', 'c'),
        memoryKib: fc.constantFrom(0, 0, 10, 60, 100, 200),
      }),
      { maxLength: 20 },
    )
    const settings = fc.record({ concurrency: fc.integer({ min: 1, max: 4 }), limit: fc.nat(8) })
    await fc.assert(
      fc.asyncProperty(settings, arrivals, async ({ concurrency, limit }, tasks) => {
        const queue = createQueue({ concurrency, limit, memoryLimitKib: 100 })
        const running = { all: 0, dear: 0, memory: 0 }
        let ran = 0
        const outcomes = await Promise.allSettled(
          tasks.map(({ millis, fails, ...options }) =>
            queue.run(async () => {
              const memory = Math.min(100, options.memoryKib)
              ran++
              running.memory += memory
              assert.ok(++running.all <= concurrency)
              assert.ok(running.memory <= 100)
              if (options.isDear) assert.equal(++running.dear, 1)
              assert.ok(queue.queued <= limit)
              await sleep(millis)
              running.all--
              running.memory -= memory
              if (options.isDear) running.dear--
              if (fails) throw new RangeError('asked for')
            }, options),
          ),
        )
        const refused = outcomes.filter((one) => one.status === 'rejected' && one.reason instanceof AppError).length
        const failed = outcomes.filter((one) => one.status === 'rejected' && one.reason instanceof RangeError).length
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length + refused + failed, tasks.length)
        const { queued, load } = queue
        assert.deepEqual([ran + refused, queued, load().running, load().memoryKib], [tasks.length, 0, 0, 0])
        assert.ok(ran <= concurrency + limit && ran >= Math.min(tasks.length, 1))
        if (tasks.every(({ isDear, isStranger, memoryKib }) => !isDear && !isStranger && memoryKib === 0)) {
          assert.equal(ran, Math.min(tasks.length, concurrency + limit))
        }
      }),
      { numRuns: 100 },
    )
  })
})

/** Tasks that report their start and end on request. */
function controlledTasks(count: number) {
  const started: number[] = []
  const endings = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const tasks = endings.map(({ promise }, index) => async () => {
    started.push(index)
    await promise
    return index
  })
  return { tasks, started, finish: (index: number) => endings[index]?.resolve() }
}
