/**
 * Moves the holders of a role that is being replaced, in steps between which other changes run, and deletes it at the end. The state
 * is the row of the role, so after a crash any node continues.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import * as users from '../../directory/users/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import * as groups from '../groups/service.ts'
import { permissionsIn } from './journal.ts'
import { countHolders, erase } from './roles.ts'
import * as store from './store.ts'

/** About 30 ms of the writer thread, as for a bulk change. */
const usersInStep = 200
/** How long the caller waits for the end of a replacement. */
const patienceMs = 3000
/** How long one round works, so that other jobs and a stop do not wait for all users. */
const roundMs = 30_000
const pauseWhenBusyMs = 100

type Named = { role: string }

/** Moves one group, or the next users. Returns whether holders may be left. */
export async function moveHolders(ctx: ChangeContext, { role }: Named): Promise<boolean> {
  const to = (await store.findRole(ctx.db, role))?.replaced_by ?? null
  if (to === null) return false
  // Groups first: someone could still become a member of one.
  if (await groups.replaceRole(ctx, { from: role, to })) return true
  return (await users.replaceRole(ctx, { from: role, to, limit: usersInStep })) > 0
}

/** Deletes a replaced role. Returns false if someone still holds it. */
export async function finishReplacement(ctx: ChangeContext, { role }: Named): Promise<boolean> {
  const found = await store.findRoleForChange(ctx.db, role)
  // Another node may have finished it.
  if (found === undefined || found.replaced_by === null) return true
  const { user_count, group_count } = await countHolders(ctx, role)
  if (user_count + group_count > 0) return false
  const { replaced_by } = found
  await erase(
    ctx,
    { ...found, permissions: JSON.stringify(ctx.rules.roles[role] ?? permissionsIn(found)) },
    { replaced_by },
  )
  return true
}

type Work = { storage: Storage; request: ChangeRequest; untilMs: number }

/** Returns whether the role is gone; false if time is up. */
async function workOn(role: string, { storage, request, untilMs }: Work): Promise<boolean> {
  while (performance.now() < untilMs) {
    try {
      const { result: isMoving } = await storage.change('roles.move_holders', { role }, request)
      if (isMoving) continue
      const { result: isDone } = await storage.change('roles.finish_replacement', { role }, request)
      if (isDone) return true
    } catch (error) {
      // Too many changes at the moment: the step had no effect.
      if (!(error instanceof AppError) || error.code !== 'overloaded') throw error
      await sleep(pauseWhenBusyMs)
    }
  }
  return false
}

/** Right after a replacement has begun. Returns whether it is done; otherwise it continues by itself. */
export async function replaceSoon(
  role: string,
  { storage, log, request }: { storage: Storage; log: Logger; request: ChangeRequest },
): Promise<boolean> {
  if (await workOn(role, { storage, request, untilMs: performance.now() + patienceMs })) return true
  continueReplacements(storage, request.now).catch((err: unknown) =>
    log.warn({ err, role }, 'the replacement of a role was interrupted; the next round of jobs continues it'),
  )
  return false
}

/** In each round of jobs, and after a start: finishes what a crash has interrupted. */
export async function continueReplacements(storage: Storage, now: number): Promise<void> {
  const untilMs = performance.now() + roundMs
  const request = { actor: system, now, requestId: 'roles' }
  for (const { role, replaced_by } of await store.listRoles(storage.db)) {
    if (replaced_by !== null) await workOn(role, { storage, request, untilMs })
  }
}
