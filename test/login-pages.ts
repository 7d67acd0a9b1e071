/** Every page for users of the product, with every part that it can have: for the tests, and to look at. */

import { pageWords, passwordFault } from '../src/access/pages/login-pages/faults.ts'
import * as cliLogin from '../src/access/pages/login-pages/views/cli-login-pages.ts'
import * as company from '../src/access/pages/login-pages/views/company-pages.ts'
import * as emailCode from '../src/access/pages/login-pages/views/email-code-pages.ts'
import * as factors from '../src/access/pages/login-pages/views/factor-pages.ts'
import * as links from '../src/access/pages/login-pages/views/link-pages.ts'
import type { Frame, Page } from '../src/access/pages/login-pages/views/pages.ts'
import * as pages from '../src/access/pages/login-pages/views/pages.ts'
import * as access from '../src/access/pages/login-pages/views/request-access-pages.ts'
import { languageNames, languages, type Texts } from '../src/access/pages/page-texts/texts.ts'
import type { SignInClaim } from '../src/access/providers/connections/schema.ts'
import type { ProblemCode } from '../src/core/errors.ts'
import type { Definition } from '../src/directory/attributes/definitions.ts'
import type { LinkRow } from '../src/directory/links/links.ts'
import { everyAccountPage } from './account-pages.ts'

export const instant = '2026-11-20T14:05:00.000Z'
export const now = Date.parse('2026-11-24T08:00:00Z')
const requestId = '0199-request'
const person = { username: 'ada', name: 'Ada Lovelace' }
const button = { connection_id: 'c1', name: 'Analytical Ltd' }
const returnTo = '/reports'

export const frameIn = (t: Texts): Frame => ({
  productName: 'Orchard',
  up: '',
  assets: 'login/assets/x',
  t,
  languages: languages.map((language) => ({ language, name: languageNames[language], href: `?lang=${language}` })),
})

const link = (ended_reason: LinkRow['ended_reason']): LinkRow => ({
  link_id: 'l1',
  user_id: 'u1',
  purpose: 'invitation',
  email: null,
  browser_hash: null,
  ended_reason,
  created_at: instant,
  expires_at: instant,
  ended_at: ended_reason && instant,
})

const attribute = (name: string, type: Definition['type'], options: string[] | null = null) =>
  ({ name, label: name, type, options }) as Definition

const requestForm = {
  email: 'ada@example.com',
  definitions: [
    attribute('team', 'enum', ['Red', 'Blue']),
    attribute('agreed', 'boolean'),
    attribute('skills', 'string[]'),
    attribute('since', 'datetime'),
    attribute('born', 'date'),
  ],
  typed: { 'attributes.team': 'Blue', reason: 'I joined the team.' },
}

/** Every page, with every part that it can have. */
export function everyPage(frame: Frame): Record<string, Page> {
  const { t } = frame
  const dead = { now, requestId, newer: undefined, isClosed: false, hasMail: true }
  const reasons = Object.keys(t.reasons) as (keyof Texts['reasons'])[]
  const outcomes = Object.keys(t.test.outcomes) as (keyof Texts['test']['outcomes'])[]
  const ends = [...(Object.keys(t.deadLink.why) as (keyof Texts['deadLink']['why'])[]), null]
  const codes = [...Object.keys(t.problems), 'overloaded', 'user_not_found'] as ProblemCode[]
  const buttons = company.connectionButtons(frame, [button], { returnTo, lastUsed: undefined })
  const identity = {
    identity_id: 'i1',
    connection_id: 'c1',
    connection_name: 'Analytical Ltd',
    subject: 'ada',
    email: 'ada@example.com',
  }
  const identities = [identity] as unknown as Parameters<typeof company.confirmationButtons>[1]
  const choose = { username: 'ada', mayUsePasskey: true, faults: {} }
  const trial = {
    detail: '',
    user: { username: 'ada', email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', role: 'user' },
    mapped: { role: 'user', groups: ['g1'], attributes: { department: 1 } },
  }
  const claims = [
    { claim: 'sub', value: '"ada"', note: 'In English.', notes: [{ code: 'subject' }] },
    {
      claim: 'role',
      value: null,
      note: 'In English.',
      notes: [
        { code: 'role_mapped', name: 'user' },
        { code: 'groups_mapped', count: 1, total: 2 },
      ],
    },
  ] satisfies SignInClaim[]
  const offer = { returnTo, next: 'login', isUsed: false, accountPath: '/account' }
  const consent = {
    username: 'ada',
    name: 'laptop',
    address: '192.0.2.7',
    ownAddress: '2001:db8::7',
    isOtherNetwork: false,
    requestedAt: instant,
    keyEndsAt: instant,
    granted: [],
    beyond: [],
    now,
    action: 'cli-login',
    userCode: undefined,
  }
  const created: Record<string, Page> = {
    signIn: pages.signInPage(frame, {
      returnTo,
      canReset: true,
      canRequestAccess: true,
      canGetCode: true,
      buttons,
      lacksAdministrator: true,
      fault: t.signIn.failed,
    }),
    name: pages.signInPage(frame, { returnTo, canReset: false, canRequestAccess: false, isNameOnly: true }),
    askForCode: emailCode.askForCodePage(frame, { username: 'ada', returnTo, fault: t.emailCode.expired }),
    enterCode: emailCode.enterCodePage(frame, {
      ...{ challenge_id: 'x', username: 'ada', returnTo },
      fault: { ...t.emailCode.wrong, at: 'code' },
    }),
    signedIn: pages.signedInPage(frame, {
      person,
      productUrl: '/',
      note: t.signedIn.passwordChanged,
      canLink: true,
      hasPassword: true,
    }),
    acting: pages.signedInPage(
      { ...frame, acting: { administrator: 'grace', username: 'ada', until: instant, now } },
      { person, productUrl: '/', note: undefined, canLink: false, hasPassword: false },
    ),
    signOut: pages.signOutPage(frame, { person, returnTo }),
    signedOut: pages.signedOutPage(frame, { returnTo }),
    secondStep: factors.secondStepPage(frame, {
      challenge_id: 'x',
      methods: ['totp', 'recovery_code'],
      passkey: '{}',
      returnTo,
      trustDays: 30,
      fault: t.confirm.codeWrong,
    }),
    recoveryCodeWrong: factors.secondStepPage(frame, {
      challenge_id: 'x',
      methods: ['totp', 'recovery_code'],
      passkey: undefined,
      returnTo,
      trustDays: 0,
      fault: { ...t.confirm.recoveryCodeWrong, at: 'recovery-code' },
      note: t.links.changed,
    }),
    recoveryStep: factors.secondStepPage(frame, {
      challenge_id: 'x',
      methods: ['recovery_code'],
      passkey: undefined,
      returnTo,
      trustDays: 1,
    }),
    confirm: factors.confirmPage(frame, {
      username: 'ada',
      methods: ['passkey'],
      hasPassword: true,
      returnTo,
      fault: t.confirm.passwordWrong,
      buttons: company.confirmationButtons(frame, identities, { returnTo, isNew: false }),
    }),
    confirmAnew: factors.confirmPage(frame, {
      username: 'ada',
      methods: [],
      hasPassword: true,
      returnTo,
      buttons: company.confirmationButtons(frame, identities, { returnTo, isNew: true }),
    }),
    mustAddFactor: factors.offerFactorPage(frame, {
      username: 'ada',
      returnTo,
      isRequired: true,
      requiredFrom: null,
      mayUsePasskey: false,
    }),
    mayAddFactor: factors.offerFactorPage(frame, {
      username: 'ada',
      returnTo,
      isRequired: false,
      requiredFrom: null,
      mayUsePasskey: true,
    }),
    addFactorLater: factors.offerFactorPage(frame, {
      username: 'ada',
      returnTo,
      isRequired: true,
      requiredFrom: instant,
      mayUsePasskey: true,
    }),
    setUpFactor: factors.setUpFactorPage(frame, {
      factor_id: 'f1',
      secret: 'ABCDEFGH',
      otpauth_uri: 'otpauth://totp/x',
      qr_code: '<svg></svg>',
      returnTo,
      fault: t.addFactor.codeWrong,
    }),
    offerCodes: factors.offerCodesPage(frame, { ...offer, left: 0 }),
    replaceOneCode: factors.offerCodesPage(frame, { ...offer, left: 1 }),
    replaceCodes: factors.offerCodesPage(frame, { ...offer, left: 7 }),
    usedCode: factors.offerCodesPage(frame, { ...offer, left: 9, isUsed: true }),
    usedLastCode: factors.offerCodesPage(frame, { ...offer, left: 0, isUsed: true }),
    codes: factors.recoveryCodesPage(frame, { codes: ['AAAA-BBBB'], next: 'login' }),
    noPassword: pages.noPasswordPage(frame),
    mustChange: pages.changePasswordPage(frame, {
      person,
      isRequired: true,
      returnTo,
      faults: { repeated: t.changePassword.notSame },
    }),
    invitation: links.choosePasswordPage(frame, { ...choose, purpose: 'invitation', methods: [] }),
    reset: links.choosePasswordPage(frame, { ...choose, purpose: 'password_reset', methods: ['totp'] }),
    resetByCode: links.choosePasswordPage(frame, {
      ...choose,
      purpose: 'password_reset',
      methods: ['recovery_code'],
      faults: { message: t.links.needNoPassword },
    }),
    passwordSet: links.passwordSetPage(frame, {
      purpose: 'invitation',
      isSignedIn: true,
      username: 'ada',
      next: 'login',
    }),
    passwordChanged: links.passwordSetPage(frame, {
      purpose: 'password_reset',
      isSignedIn: true,
      username: 'ada',
      next: 'login',
    }),
    forgot: links.forgotPasswordPage(frame, { fault: { title: t.page.missing, detail: t.links.forgotMissing } }),
    sent: links.messageSentPage(frame),
    withoutMail: links.withoutMailPage(frame),
    enterAddress: access.enterAddressPage(frame, {
      fault: { title: t.page.missing, detail: t.requestAccess.emailInvalid, at: 'email' },
    }),
    addressEntered: access.addressEnteredPage(frame),
    requestWithoutMail: access.noMailForRequestsPage(frame),
    requestForm: access.requestFormPage(frame, { ...requestForm, company: undefined, faults: {} }),
    requestFaults: access.requestFormPage(frame, {
      ...requestForm,
      company: 'Analytical Ltd',
      faults: {
        first_name: t.requestAccess.tooLong,
        last_name: t.requestAccess.notPlain,
        'attributes.team': t.requestAccess.isMissing('Team'),
        'attributes.agreed': t.requestAccess.isWrong('Agreed'),
        reason: t.requestAccess.whyMissing,
      },
    }),
    requestSent: access.requestSentPage(frame, 'ada@example.com'),
    requestKnown: pages.problemPage(frame, { ...t.requestAccess.known, requestId }),
    confirmAddress: links.confirmAddressPage(frame, 'ada@example.com'),
    addressConfirmed: links.addressConfirmedPage(frame, 'ada@example.com'),
    signInFirst: links.signInFirstPage(frame),
    linkAccount: company.linkAccountPage(frame, { username: 'ada', identities, buttons: [button], isLinked: true }),
    noCompany: company.linkAccountPage(frame, { username: 'ada', identities, buttons: [], isLinked: false }),
    toProvider: company.toProviderPage(frame, { href: 'https://idp.example', detail: t.signOut.companyToo }),
    postAgain: company.postAgainPage(frame, { RelayState: 'x' }),
    companyPassword: company.passwordPage(frame, { connection: button, username: '', purpose: 'sign_in', returnTo }),
    deadReset: links.deadLinkPage(frame, { ...dead, purpose: 'password_reset', link: undefined }),
    deadResetWithoutMail: links.deadLinkPage(frame, {
      ...dead,
      purpose: 'password_reset',
      link: undefined,
      hasMail: false,
    }),
    deadVerification: links.deadLinkPage(frame, { ...dead, purpose: 'verification', link: link('email_changed') }),
    userCode: cliLogin.userCodePage(frame, { fault: { ...t.cliLogin.codeWrong, at: 'user-code' } }),
    consent: cliLogin.consentPage(frame, {
      ...consent,
      isOtherNetwork: true,
      granted: ['users:read'],
      beyond: ['users:write', 'audit:read'],
      userCode: 'WDJB-MJHT',
    }),
    consentToAll: cliLogin.consentPage(frame, { ...consent, granted: ['*'] }),
    consentToNothing: cliLogin.consentPage(frame, consent),
    commandLineSignedIn: cliLogin.decidedPage(frame, { isApproved: true }),
    commandLineRefused: cliLogin.decidedPage(frame, { isApproved: false }),
    gateway: pages.insteadOfProductPage(frame, {
      title: t.gateway.silent('Orchard'),
      detail: t.gateway.silentDetail,
      requestId,
    }),
  }
  for (const wasSent of [true, false]) {
    const newer = { created_at: instant, wasSent }
    created[`newer ${wasSent}`] = links.deadLinkPage(frame, {
      ...dead,
      purpose: 'invitation',
      link: link('replaced'),
      newer,
    })
  }
  for (const state of ['open', 'waiting', 'approved', 'declined', 'expired', undefined] as const)
    created[`request ${state}`] = access.deadRequestPage(frame, state, requestId)
  for (const end of ends)
    created[`ended ${end}`] = links.deadLinkPage(frame, { ...dead, purpose: 'invitation', link: link(end) })
  created.closed = links.deadLinkPage(frame, { ...dead, purpose: 'invitation', link: link('deleted'), isClosed: true })
  for (const chosen of ['password_too_short', 'password_too_common', 'password_contains_context', 'unknown'] as const) {
    const fault = { pointer: '#/new_password', code: chosen, detail: 'English of the API' }
    created[chosen] = pages.changePasswordPage(frame, {
      person,
      isRequired: false,
      returnTo,
      faults: { chosen: passwordFault(t, fault) },
    })
  }
  for (const reason of reasons) {
    created[reason] = company.refusedPage(frame, { reason, connection: button, requestId, linkPath: '/link' }).page
  }
  for (const outcome of outcomes) {
    created[outcome] = company.testedPage(frame, {
      name: 'Analytical Ltd',
      requestId,
      trial: { ...trial, outcome, claims, ...(outcome === 'refused' && { reason: 'email_unverified' }) },
    })
  }
  for (const code of codes) {
    const status = code === 'overloaded' ? 503 : 400
    created[code] = pages.problemPage(frame, { ...pageWords(t, { code, status }, 5), requestId })
  }
  return { ...created, ...everyAccountPage(frame) }
}
