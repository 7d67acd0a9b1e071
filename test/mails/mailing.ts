/** An application that sends email to a server on loopback, whose dispatcher is started and stopped by the test. */
import type { TestContext } from 'node:test'
import pino from 'pino'
import type { Dispatcher } from '../../src/record/delivery/dispatcher.ts'
import { type MailDispatcherParts, startMailDispatcher } from '../../src/record/mails/sending/dispatch.ts'
import { loadTemplates } from '../../src/record/mails/templates/templates.ts'
import type { Storage } from '../../src/store/storage/storage.ts'
import { type Engine, type Started, start } from '../harness.ts'
import type { StoppedClock } from '../stopped-clock.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

/** Email is set up, and nothing is sent: no dispatcher runs. */
export const mailEnv = {
  ROLLBOOK_SMTP_URL: 'smtp://127.0.0.1:9',
  ROLLBOOK_MAIL_FROM: 'Orchard <no-reply@orchard.example>',
  ROLLBOOK_PUBLIC_URL: 'http://orchard.example/auth',
  ROLLBOOK_PRODUCT_NAME: 'Orchard',
}

type Options = { env?: Record<string, string>; clock?: StoppedClock; beside?: Mailing }

export type Mailing = Started & {
  server: MailServer
  /** Starts a dispatcher that looks often, so that tests need not wait. */
  dispatch(parts?: Partial<MailDispatcherParts>): Dispatcher
}

export async function startMailing(
  t: TestContext,
  engine: Engine,
  { env, beside, ...rest }: Options = {},
): Promise<Mailing> {
  const running: Dispatcher[] = []
  // Registered first, and so done first: afterwards the storage is closed.
  t.after(() => Promise.all(running.map((one) => one.stop())))
  const server = beside?.server ?? (await startMailServer(t))
  const app = await start(t, engine, {
    env: { ...mailEnv, ROLLBOOK_SMTP_URL: server.url, ...env },
    ...rest,
    ...(beside && { beside }),
  })
  return Object.assign(app, {
    server,
    dispatch: (parts: Partial<MailDispatcherParts> = {}) => {
      const { clock } = rest
      const startDispatcher = (storage: Storage) =>
        dispatcherOf({ ...app, storage }, { clock: clock ?? Date.now, ...parts })
      const dispatcher = clock ? clock.watch(app.storage, startDispatcher) : startDispatcher(app.storage)
      running.push(dispatcher)
      return dispatcher
    },
  })
}

/** Starts a dispatcher for an application that was started without `startMailing`. */
export function dispatchMails(t: TestContext, app: Started): void {
  const dispatcher = dispatcherOf(app, {})
  t.after(() => dispatcher.stop())
}

function dispatcherOf(
  {
    storage,
    config,
    branding,
    outages,
    secrets,
  }: Pick<Started, 'storage' | 'config' | 'branding' | 'outages' | 'secrets'>,
  parts: Partial<MailDispatcherParts>,
): Dispatcher {
  const log = pino({ enabled: false })
  const templates = loadTemplates(config.mailTemplates, config.mailLocale)
  const codeSecret = secrets.device
  return startMailDispatcher({
    storage,
    config,
    templates,
    branding,
    log,
    outages,
    codeSecret,
    everyMs: 20,
    graceMs: 1000,
    ...parts,
  })
}

export type ListedMail = {
  mail_id: string
  kind: string
  user_id: string | null
  address: string
  status: string
  attempt_count: number
  next_attempt_at: string | null
  error: string | null
  response: string | null
  expires_at: string | null
}

export async function mailsOf(app: Started, query = ''): Promise<ListedMail[]> {
  return (await app.call('GET', `/mails?limit=1000${query}`)).body
}
