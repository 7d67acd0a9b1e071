/** When this browser last put off the reminder of a second factor, and whether it came from setup. */
const key = 'rollbook-factor-reminder'
const pauseMs = 86_400_000

type Kept = { invited: true } | { user_id: string; until: number }

function read(): Kept | undefined {
  try {
    const text = localStorage.getItem(key)
    return text === null ? undefined : (JSON.parse(text) as Kept)
  } catch {
    // Storage is blocked, or holds something else: the reminder shows again.
    return undefined
  }
}

function write(stored: Kept): void {
  try {
    localStorage.setItem(key, JSON.stringify(stored))
  } catch {
    // Storage is blocked: the reminder shows again after the next load.
  }
}

/** After setup: the first administrator is invited once. */
export function inviteAfterSetup(): void {
  write({ invited: true })
}

export function isInvited(): boolean {
  const stored = read()
  return stored !== undefined && 'invited' in stored
}

export function isPutOff(userId: string, now: number): boolean {
  const stored = read()
  return stored !== undefined && 'until' in stored && stored.user_id === userId && now < stored.until
}

/** Hides the reminder of this user for a day, and the invitation forever. */
export function putOff(userId: string, now: number): void {
  write({ user_id: userId, until: now + pauseMs })
}
