/** The first steps after the installation, and which are done. */

export type SetupStep = 'mail' | 'company' | 'product' | 'second_factor'

/** Undefined: not known yet, or not for this viewer to do. */
export type SetupFacts = {
  hasMail: boolean | undefined
  hasCompany: boolean | undefined
  hasKey: boolean | undefined
  hasFactor: boolean | undefined
}

/** From this number of users on, the service is in use, and the list is not shown. */
export const youngUsers = 20

/** Returns the steps in their order; none once all are done. */
export function stepsOf({
  hasMail,
  hasCompany,
  hasKey,
  hasFactor,
}: SetupFacts): { step: SetupStep; isDone: boolean }[] {
  const facts: [SetupStep, boolean | undefined][] = [
    ['mail', hasMail],
    ['product', hasKey],
    ['company', hasCompany],
    ['second_factor', hasFactor],
  ]
  const steps = facts.flatMap(([step, isDone]) => (isDone === undefined ? [] : [{ step, isDone }]))
  return steps.every(({ isDone }) => isDone) ? [] : steps
}

const key = 'rollbook-setup-steps'

export function areHidden(userId: string): boolean {
  try {
    return localStorage.getItem(key) === userId
  } catch {
    // Storage is blocked: the list shows again.
    return false
  }
}

export function hide(userId: string): void {
  try {
    localStorage.setItem(key, userId)
  } catch {
    // Storage is blocked: the list shows again after the next load.
  }
}
