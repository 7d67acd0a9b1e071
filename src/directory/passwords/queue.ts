import { AppError } from '../../core/errors.ts'

/** The caller a task is for, and its cost. */
export type TaskOptions = {
  /** Takes long: one at a time. */
  isDear?: boolean
  /** Counted against the memory that all tasks at work share; 0 for what is always affordable. */
  memoryKib?: number
  /** Known callers are served first, and strangers leave places for them. */
  isStranger?: boolean
  /** Waiting tasks with different values take turns: networks, users. */
  from?: string
}

type Queue = {
  /** Runs the task when its turn comes, or refuses it with `overloaded`. */
  run<Result>(task: () => Promise<Result>, options?: TaskOptions): Promise<Result>
  readonly queued: number
  load(): QueueLoad
}

/** The current load of a queue, and its totals since the start. */
export type QueueLoad = {
  running: number
  waiting: number
  limit: number
  /** How many run at once. */
  concurrency: number
  /** The shared memory used by running tasks. */
  memoryKib: number
  /** Finished tasks, and their total run time. */
  done: number
  seconds: number
  refused: number
}

type QueueOptions = { concurrency: number; limit: number; memoryLimitKib?: number }

type Waiting = Required<TaskOptions> & { start: () => void; refuse: (error: AppError) => void }

/** While both wait, strangers get one turn in this many. */
const turnsPerStranger = 4
/** The share of the queue that unauthenticated callers may fill, so that others still find room. */
const strangersShare = 3 / 4

/**
 * Runs at most `concurrency` tasks at once; up to `limit` wait. Known callers come before strangers, and among each of them
 * users or networks take turns. When the places of strangers are full, a network with fewer waiting tasks takes the place of
 * the newest task of the network with the most. One expensive task runs at a time, and at most half of the waiting ones may
 * be expensive. Running tasks together use at most `memoryLimitKib`; a task that may not start yet is passed over.
 */
export function createQueue({ concurrency, limit, memoryLimitKib = Number.POSITIVE_INFINITY }: QueueOptions): Queue {
  const known = createLane(limit)
  const strangers = createLane(Math.ceil(limit * strangersShare))
  let running = 0
  let isDearRunning = false
  let memoryKib = 0
  let turn = 0
  let [done, secondsInAll, refused] = [0, 0, 0]
  // Reported to refused callers. Recent tasks weigh more, so it follows the machine's load.
  let averageSeconds = 0.05

  const queued = () => known.size() + strangers.size()

  function overloaded(): AppError {
    refused++
    const seconds = ((queued() + running) / concurrency) * averageSeconds
    return new AppError('overloaded', 'Too many passwords are being checked. Try again.', {
      retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    })
  }

  /** Whether a task may begin now. A task that waits for memory keeps it from later ones, or they would always pass it. */
  function gate() {
    let isMemoryAwaited = false
    return (task: Required<TaskOptions>): boolean => {
      if (task.isDear && isDearRunning) return false
      if (task.memoryKib === 0) return true
      if (!isMemoryAwaited && memoryKib + task.memoryKib <= memoryLimitKib) return true
      isMemoryAwaited = true
      return false
    }
  }

  function startTask({ isDear, memoryKib: needed }: Required<TaskOptions>): void {
    running++
    memoryKib += needed
    isDearRunning ||= isDear
  }

  function beginNext(): void {
    while (running < concurrency) {
      const mayBegin = gate()
      const lanes = turn % turnsPerStranger === turnsPerStranger - 1 ? [strangers, known] : [known, strangers]
      const isContested = known.size() > 0 && strangers.size() > 0
      const next = lanes[0]?.take(mayBegin) ?? lanes[1]?.take(mayBegin)
      if (next === undefined) return
      if (isContested) turn++
      startTask(next)
      next.start()
    }
  }

  async function waitForTurn(task: Required<TaskOptions>): Promise<void> {
    const lane = task.isStranger ? strangers : known
    // With a free place, tasks wait for memory or for an expensive task to end. This one must not overtake those that
    // need the same.
    const mayPass = task.memoryKib === 0 || known.heavy() + strangers.heavy() === 0
    if (running < concurrency && mayPass && gate()(task)) return startTask(task)
    const isFull = queued() >= limit || !lane.hasRoom(task)
    const displaced = isFull && task.isStranger ? lane.displacedBy(task) : undefined
    if (isFull && displaced === undefined) throw overloaded()
    displaced?.refuse(overloaded())
    await new Promise<void>((resolve, refuse) => lane.add({ ...task, start: resolve, refuse }))
  }

  return {
    get queued() {
      return queued()
    },
    load: () => ({ running, waiting: queued(), limit, concurrency, memoryKib, done, seconds: secondsInAll, refused }),

    async run(task, options = {}) {
      const { isDear = false, memoryKib: wanted = 0, isStranger = false, from = '' } = options
      // A task that needs more than the limit runs alone.
      const needed = { isDear, memoryKib: Math.min(wanted, memoryLimitKib), isStranger, from }
      await waitForTurn(needed)
      const startedAt = performance.now()
      try {
        return await task()
      } finally {
        const seconds = (performance.now() - startedAt) / 1000
        averageSeconds += (seconds - averageSeconds) / 10
        secondsInAll += seconds
        done++
        running--
        memoryKib -= needed.memoryKib
        if (isDear) isDearRunning = false
        beginNext()
      }
    },
  }
}

/** Waiting tasks by where they come from, those whose turn is next in front. */
function createLane(limit: number) {
  const mostDear = Math.ceil(limit / 2)
  const groups = new Map<string, Waiting[]>()
  let [size, dear, heavy] = [0, 0, 0]

  function remove(from: string, index: number): Waiting | undefined {
    const group = groups.get(from) ?? []
    const [task] = group.splice(index, 1)
    if (group.length === 0) groups.delete(from)
    if (task === undefined) return undefined
    size--
    if (task.isDear) dear--
    if (task.memoryKib > 0) heavy--
    return task
  }

  return {
    size: () => size,
    heavy: () => heavy,
    hasRoom: ({ isDear }: Pick<TaskOptions, 'isDear'>) => size < limit && !(isDear && dear >= mostDear),

    add(task: Waiting): void {
      const group = groups.get(task.from)
      if (group === undefined) groups.set(task.from, [task])
      else group.push(task)
      size++
      if (task.isDear) dear++
      if (task.memoryKib > 0) heavy++
    },

    /** The next one that may begin. Its group comes last from then on. */
    take(mayBegin: (task: Waiting) => boolean): Waiting | undefined {
      for (const [from, group] of groups) {
        const index = group.findIndex(mayBegin)
        if (index === -1) continue
        const task = remove(from, index)
        if (groups.delete(from)) groups.set(from, group)
        return task
      }
      return undefined
    },

    /** Removes the newest task of the group with the most, when this newcomer's would still have fewer. */
    displacedBy({ from, isDear = false }: TaskOptions): Waiting | undefined {
      // If only places for expensive tasks are missing, only an expensive task can make room.
      const counts = (task: Waiting) => !(isDear && size < limit) || task.isDear
      const countOf = (group: readonly Waiting[]) => group.filter(counts).length
      const [most] = [...groups].toSorted(([, a], [, b]) => countOf(b) - countOf(a))
      if (most === undefined || countOf(most[1]) <= countOf(groups.get(from ?? '') ?? []) + 1) return undefined
      return remove(most[0], most[1].findLastIndex(counts))
    },
  }
}
