/**
 * How long a refusal takes, so that its time does not reveal whether a user exists: an imported hash may cost many times
 * what ours costs, and when there is no hash, we compute one of our own. Costs are counted in hashes of our own, measured at
 * the same moment, so the load of the machine does not matter.
 */
type RefusalTime = {
  /** A verification against one of our own hashes took this long. */
  tookOwn(millis: number): void
  /** One against a hash of elsewhere, and one of our own right after it. */
  tookForeign(cost: string, millis: number, ownMillis: number): void
  /** How long a refusal should take in all, when it tries this many readings of a password. */
  millis(readings: number): number
}

/** After a day without a hash of this kind, all its users have signed in or none tries. */
const forgottenAfterMillis = 24 * 3_600_000
/** An installation has users from one or two systems; an importer could invent any number. */
const mostCosts = 50
/** Most verifications end before the time is up, so that it is the same for all. */
const margin = 1.2
/** For each reading. One user's expensive hash should not slow down the refusals of others beyond this. */
const mostMillis = 1000

export function createRefusalTime(now = () => performance.now()): RefusalTime {
  let own: number | undefined
  const ratios = new Map<string, { ratio: number; at: number }>()

  function tookOwn(millis: number): void {
    own = approach(own, millis)
  }

  return {
    tookOwn,
    tookForeign(cost, millis, ownMillis) {
      tookOwn(ownMillis)
      const ratio = approach(ratios.get(cost)?.ratio, millis / ownMillis)
      // At the end of the map, so that the first entry is the least recently used.
      ratios.delete(cost)
      ratios.set(cost, { ratio, at: now() })
      for (const [first, { at }] of ratios) {
        if (ratios.size <= mostCosts && at > now() - forgottenAfterMillis) break
        ratios.delete(first)
      }
    },
    millis(readings) {
      const known = [...ratios.values()].filter(({ at }) => at > now() - forgottenAfterMillis)
      if (own === undefined || known.length === 0) return 0
      return readings * Math.min(mostMillis, own * (1 + Math.max(...known.map(({ ratio }) => ratio))) * margin)
    },
  }
}

/** One that was held up by chance counts as twice the average at most. */
function approach(average: number | undefined, value: number): number {
  return average === undefined ? value : average + (Math.min(value, 2 * average) - average) / 8
}
