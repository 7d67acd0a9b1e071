/** *Company sign-in*: choose the provider, enter what it gives, test, switch on. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { verifiedDomainsOf } from '../../../directory/organizations/service.ts'
import type { Text } from '../../../lib/html.ts'
import { pasteFault } from '../../../lib/paste-checks.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import { sealingSecret } from '../../../store/secrets/encryption.ts'
import type { SignInFailure } from '../../providers/connections/schema.ts'
import * as connections from '../../providers/connections/service.ts'
import { addressOf, apart, kindOf } from '../../providers/connections/service.ts'
import {
  type Form,
  form,
  formOf,
  hidden,
  type Message,
  queryOf,
  setupTester,
  startCompanySignIn,
} from '../login-pages/service.ts'
import {
  type CompanyView,
  choicePage,
  connectionPage,
  type FieldFaults,
  fieldsOf,
  labelOf,
  notYoursPage,
  testResultPage,
} from './company-views.ts'
import type { Exchange, SetupNeeds, SetupPages } from './open.ts'
import { onwardFrom } from './overview.ts'
import { bookOf, isOutdated } from './parts.ts'

/** The metadata of a SAML provider, percent-encoded. */
const formLimit = 1_200_000
/** How long a test may take. */
const testSeconds = 900
const notes = ['saved', 'switchedOn', 'switchedOff'] as const

export function companyPages(app: FastifyInstance, pages: SetupPages): void {
  const { needs, opened } = pages
  const path = '/setup/:token/sign-in'
  const one = `${path}/:connection_id`
  const newId = uuidv7Maker()

  app.get(
    path,
    hidden,
    opened('connection', async (exchange) => {
      const found = await connections.list(needs.contextOf(exchange.request))
      return showChoice(needs, exchange, found)
    }),
  )

  app.post(
    path,
    form,
    opened('connection', async (exchange) => {
      const { request, go } = exchange
      const provider = formOf(request).provider ?? ''
      if (bookOf(exchange).guides[provider] === undefined || provider.startsWith('provisioning ')) return go('/sign-in')
      const found = await connections.list(needs.contextOf(request))
      if (isOutdated(exchange, found)) return showChoice(needs, exchange, found, 409)
      const [kind = '', preset = ''] = provider.split(' ')
      const connection_id = newId(request.now)
      const input = { kind, preset, active: false } as Parameters<typeof create>[2]
      await create(needs, exchange, input, connection_id)
      return go(`/sign-in/${connection_id}`)
    }),
  )

  app.get(
    one,
    hidden,
    opened('connection', (exchange) => showConnection(needs, exchange, {})),
  )

  app.post(
    one,
    { ...form, bodyLimit: formLimit },
    opened('connection', (exchange) => save(needs, exchange)),
  )

  app.post(
    `${one}/active`,
    form,
    opened('connection', (exchange) => {
      const isOn = formOf(exchange.request).active === 'true'
      return change(needs, exchange, {}, async (connection) => {
        const domains = isOn ? await domainsFor(needs, exchange) : []
        const lists = { domains, trusted_domains: domains, provisioning_domains: domains }
        await update(needs, exchange, connection.connection_id, { active: isOn, ...(isOn ? lists : { domains }) })
        const { connection_id } = connection
        return exchange.go(`/sign-in/${connection_id}?done=${isOn ? 'switchedOn' : 'switchedOff'}`)
      })
    }),
  )

  app.post(
    `${one}/remove`,
    form,
    opened('connection', (exchange) =>
      change(needs, exchange, {}, async ({ connection_id, active }) => {
        if (!active) {
          const { request, reply } = exchange
          const input = () => ({ connection_id, expected: undefined })
          await needs.makeChange(request, reply, 'sign_in_connections.delete', { input })
        }
        return exchange.go('/sign-in')
      }),
    ),
  )

  app.get(
    `${one}/test`,
    { ...hidden, exposeHeadRoute: false },
    opened('connection', (exchange) => test(pages, exchange)),
  )

  app.get(
    `${one}/result`,
    hidden,
    opened('connection', async (exchange) => {
      const connection = await findOwn(needs, exchange)
      const tested = connection && (await latestTest(needs, exchange, connection))
      if (connection === undefined || tested === undefined) return exchange.go('/sign-in')
      return exchange.send(testResultPage(exchange, { connection, tested }))
    }),
  )
}

async function showChoice(
  needs: SetupNeeds,
  exchange: Exchange,
  found: readonly connections.Shown[],
  status = 200,
): Promise<FastifyReply> {
  const hasDomain = (await domainsFor(needs, exchange)).length > 0
  return exchange.send(choicePage(exchange, { found, hasDomain, isOutdated: status !== 200 }), status)
}

/** The proved domains of the organization: those that a connection may recognize people by. */
function domainsFor({ storage }: SetupNeeds, { link }: Exchange): Promise<string[]> {
  return verifiedDomainsOf(storage.db, link.organization.organization_id)
}

/** A connection of the organization. */
async function findOwn(needs: SetupNeeds, { request }: Exchange): Promise<connections.Shown | undefined> {
  const { connection_id } = request.params as { connection_id: string }
  const found = await connections.list(needs.contextOf(request))
  return found.find((one) => one.connection_id === connection_id.toLowerCase())
}

/** Whether people get nothing through it but an account: others gave it a mapping, which a link may neither see nor change. */
export function isPlain(one: connections.Shown): boolean {
  const maps = [one.roles, one.groups, one.attribute_claims].some((mapping) => Object.keys(mapping).length > 0)
  return one.default_role === 'user' && !maps && one.passwords === 'allowed' && one.managed_by === undefined
}

type NewConnection = Omit<Parameters<typeof apart>[0], 'name'> & { kind: string; active: boolean }

/** The button on the sign-in page has the name of the company; another one if that is taken. */
async function create(
  needs: SetupNeeds,
  { request, reply, link }: Exchange,
  input: NewConnection,
  connection_id: string,
): Promise<void> {
  const { name } = link.organization
  const names = [name, `${name} (${input.kind.toUpperCase()})`, `${name} ${connection_id.slice(-4)}`]
  for (const [i, one] of names.entries()) {
    try {
      const sent = { ...input, name: one.slice(0, 128) } as connections.CreateSignInConnection
      const { secrets, input: members } = apart(sent, connection_id, undefined)
      await needs.makeChange(request, reply, 'sign_in_connections.create', {
        input: () => ({ connection_id, input: members, secrets }),
      })
      return
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'connection_name_taken'
      if (!isTaken || i === names.length - 1) throw error
    }
  }
}

async function update(
  needs: SetupNeeds,
  { request, reply }: Exchange,
  connection_id: string,
  members: connections.UpdateSignInConnection,
): Promise<void> {
  const { storage, config, providers, makeChange } = needs
  await makeChange(request, reply, 'sign_in_connections.update', {
    input: async () => {
      const found = await connections.getRow(storage.db, scopeOf(request.actor), connection_id)
      const before = { secrets: connections.usableSecrets(found.secrets) }
      const prepared = await providers.prepare(found.kind, members, before)
      const secret = await sealingSecret(storage.db, config)
      return {
        connection_id,
        expected: undefined,
        ...apart(prepared as connections.UpdateSignInConnection, connection_id, secret),
      }
    },
  })
}

/** Runs a change of the connection in the path; shows its page with what was wrong. */
async function change(
  needs: SetupNeeds,
  exchange: Exchange,
  typed: Form,
  run: (connection: connections.Shown) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const connection = await findOwn(needs, exchange)
  if (connection === undefined) return exchange.go('/sign-in')
  if (!isPlain(connection)) return exchange.send(notYoursPage(exchange, connection), 403)
  try {
    return await run(connection)
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    exchange.reply.headers(error.headers)
    return showConnection(needs, exchange, { typed, ...faultsOf(exchange, connection, error) }, error.status)
  }
}

async function save(needs: SetupNeeds, exchange: Exchange): Promise<FastifyReply> {
  const typed = formOf(exchange.request)
  return change(needs, exchange, typed, async (connection) => {
    const values = Object.fromEntries(
      fieldsOf(exchange, connection).flatMap(({ name, type }) => {
        // Judged below: it is no text.
        if (type === 'checkbox') return []
        const text = type === 'textarea' ? (typed[name] ?? '') : (typed[name] ?? '').trim()
        // An empty field keeps its value: a secret is never shown again.
        return text === '' ? [] : [[name, text]]
      }),
    )
    const isConfirmed = typed.emails_verified === 'true'
    if (connection.kind === 'saml' && !isConfirmed) {
      const { t } = exchange
      const text = t.company.addressesFixedMissing
      const fault = { title: t.notDone, detail: text, at: 'emails_verified' }
      return showConnection(needs, exchange, { typed, fault, fields: { emails_verified: { text } } }, 422)
    }
    const odd = oddities(needs, exchange, connection, values)
    if (Object.keys(odd).length > 0 && typed.sure !== 'yes') {
      return showConnection(needs, exchange, { typed, fields: odd, isOdd: true }, 422)
    }
    const domains = await domainsFor(needs, exchange)
    const members = {
      ...values,
      ...(isConfirmed && { emails_verified: true }),
      trusted_domains: domains,
      provisioning_domains: domains,
    }
    await update(needs, exchange, connection.connection_id, members)
    const unreached = await reach(needs, exchange, connection.connection_id)
    if (unreached === undefined) return exchange.go(`/sign-in/${connection.connection_id}?done=saved`)
    const { t } = exchange
    const text = t.company.unreachable
    const fields = { issuer: { text, english: unreached } }
    return showConnection(needs, exchange, { fault: { title: t.notDone, detail: text, at: 'issuer' }, fields }, 422)
  })
}

/** Why the provider cannot be reached with the stored values. */
async function reach(
  { storage, providers }: SetupNeeds,
  { request }: Exchange,
  connection_id: string,
): Promise<string | undefined> {
  return providers.reach(await connections.getRow(storage.db, scopeOf(request.actor), connection_id))
}

/** What looks like a mistake, in the words of the console's wizard, with what was probably meant. */
function oddities(
  { links }: SetupNeeds,
  exchange: Exchange,
  { kind, preset, connection_id }: connections.Shown,
  values: Readonly<Record<string, string>>,
): FieldFaults {
  const ours = Object.values(kindOf(kind).addresses(addressOf(links, connection_id))) as string[]
  const { pasteWords } = bookOf(exchange)
  const found = Object.entries(values).flatMap(([name, text]) => {
    const fault = pasteFault(name, text, { provider: { kind, preset }, others: values, ours })
    if (fault === undefined) return []
    const words: { text: Text; suggestion?: string } = { text: pasteWords[fault.fault] }
    // A secret is not shown.
    const suggestion = name === 'client_secret' ? undefined : fault.suggestion
    return [[name, suggestion === undefined ? words : { ...words, suggestion }] as const]
  })
  return Object.fromEntries(found)
}

type Faults = { fault: Message; fields: FieldFaults }

function faultsOf(exchange: Exchange, connection: connections.Shown, error: AppError): Faults {
  const { t } = exchange
  const words = t.company
  const [first] = error.errors ?? []
  const name = first?.pointer.split('/')[1] ?? ''
  const isField = fieldsOf(exchange, connection).some((field) => field.name === name)
  const label = labelOf(exchange, name)
  const text =
    first?.code === 'domain_taken'
      ? words.domainTaken
      : first === undefined
        ? t.failed
        : first.code === 'missing_member'
          ? name === 'client_secret' && connection.has_client_secret === true
            ? words.secretAgain
            : words.missing(label)
          : first.code === 'metadata_unreadable' && name === 'metadata_url'
            ? words.unreachable
            : words.refused(label)
  const detail = error.code === 'role_not_grantable' ? words.notYours : text
  return {
    fault: { title: t.notDone, detail, ...(isField && { at: name }) },
    fields: isField ? { [name]: { text, english: first?.detail } } : {},
  }
}

async function showConnection(
  needs: SetupNeeds,
  exchange: Exchange,
  view: Partial<CompanyView>,
  status = 200,
): Promise<FastifyReply> {
  const { links } = needs
  const connection = await findOwn(needs, exchange)
  if (connection === undefined) return exchange.go('/sign-in')
  if (!isPlain(connection)) return exchange.send(notYoursPage(exchange, connection), status)
  const done = notes.find((one) => one === queryOf(exchange.request).done)
  const page = connectionPage(exchange, {
    connection,
    addresses: kindOf(connection.kind).addresses(addressOf(links, connection.connection_id)) as Record<string, string>,
    tested: await latestTest(needs, exchange, connection),
    domains: await domainsFor(needs, exchange),
    signInUrl: `${links.issuer()}/login`,
    done: status === 200 ? done : undefined,
    onward: connection.active ? await onwardFrom(needs, exchange, 'connection') : undefined,
    ...view,
  })
  return exchange.send(page, status)
}

/** The result of the latest test sign-in since the settings were changed last. */
async function latestTest(
  { contextOf }: SetupNeeds,
  { request }: Exchange,
  { connection_id }: connections.Shown,
): Promise<SignInFailure | undefined> {
  const found = await connections.listFailures(contextOf(request), connection_id, 20)
  return found.find(({ reason }) => reason === 'test')
}

/** To the provider and back. The cookie says on the way back which link it belongs to. */
async function test({ needs, tools }: SetupPages, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, link, token, go } = exchange
  const { connection_id } = request.params as { connection_id: string }
  const tester = await setupTester(needs.storage.db, link, { token, connection_id: connection_id.toLowerCase() })
  if (tester === undefined) return go('/sign-in')
  reply.header('set-cookie', needs.cookies.setup.set(token, testSeconds))
  return startCompanySignIn(needs, tools, { request, reply }, { connection_id, purpose: 'test', tester })
}
