/** Encrypts the secrets of a store with another secret. On PostgreSQL this is a node beside the running ones. */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { handlers } from '../../app/handlers.ts'
import { createLog } from '../../app/log.ts'
import { system } from '../../core/actor.ts'
import { ConfigError } from '../../core/config.ts'
import { AppError, OperatorError } from '../../core/errors.ts'
import { openStorage } from '../../store/engines/open.ts'
import { encryptionSecrets } from '../../store/secrets/encryption.ts'
import type { Rotated } from '../../store/secrets/rotation.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { configOfStore, refuseAbsent, systemUser } from './admin-reset.ts'

type Options = { dataDir: string | undefined; dryRun: boolean; discard: boolean }

/** A node that read before the rotation which secret to use may store what it encrypted within this time. */
const lateMs = 3000

export async function rotateSecrets({ dataDir, dryRun, discard }: Options): Promise<Rotated> {
  const config = configOfStore(dataDir)
  if (config.keyEncryptionSecret === undefined) {
    throw new ConfigError(['ROLLBOOK_KEY_ENCRYPTION_SECRET is not set. Set it to the new secret.'])
  }
  await refuseAbsent(config)
  let fault: Error | undefined
  const storage = await openStorage(handlers, config, createLog('silent'), (error) => {
    fault = error
  })
  try {
    const origin = { address: hostname(), user_agent: `rollbook secrets rotate, by ${systemUser()}` }
    const rotate = async (isSecond: boolean) => {
      const request = { actor: system, origin, dryRun, now: Date.now(), requestId: crypto.randomUUID() }
      const input = { secrets: encryptionSecrets(config), discard, isSecond }
      return (await storage.change('secrets.rotate', input, request)).result
    }
    const first = await rotate(false)
    if (config.databaseUrl === undefined || config.keyEncryptionSecretPrevious === undefined || dryRun) return first
    await sleep(lateMs)
    const late = await rotate(true)
    return first.map((one, index) => {
      const { sealed = 0, lost = 0 } = late[index] ?? {}
      return { ...one, sealed: one.sealed + sealed, lost: one.lost + lost }
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'secret_unreadable') throw fault ?? error
    const advice =
      'Set ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS to the secret that they were encrypted with. If it is lost, --discard-unreadable gives them up.'
    throw new OperatorError(`${error.message} ${advice}`, { cause: error, exitCode: exitCodes.misconfigured })
  } finally {
    await storage.close()
  }
}
