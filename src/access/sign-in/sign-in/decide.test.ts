import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { timestamp } from '../../../lib/instant.ts'
import { type Decision, decide, type Facts, type Proof } from './decide.ts'

const now = Date.UTC(2026, 10, 20)
const user: NonNullable<Facts['user']> = {
  ...{ active: 1, access_ends_at: null, kind: 'person' as const, password_hash: 'a hash', credentials_version: 3 },
  organization_id: null,
  email_key: 'ada@example.com',
}
const plain: Facts = {
  now,
  rules: { disabledOrganizations: new Set(['closed']) },
  user,
  isPasswordRefused: false,
  isEmailCodeRefused: false,
  isAccountLost: false,
  hasFactor: false,
  trustedBrowser: undefined,
  isFactorRequired: false,
  mustChangePassword: false,
}

const checked = { user_id: 'ada', credentials_version: 3 }
const oneFactor = {
  password: { ...checked, amr: ['pwd'], verified_hash: 'a hash' },
  company: { ...checked, amr: ['sso'] },
  emailCode: { ...checked, amr: ['otp'], email_key: 'ada@example.com' },
} satisfies Record<string, Proof>
const twoFactors = {
  'password and code': { ...checked, amr: ['pwd', 'otp', 'mfa'] },
  'password and passkey': { ...checked, amr: ['pwd', 'pop', 'mfa'] },
  'company and code': { ...checked, amr: ['sso', 'otp', 'mfa'] },
  'company and passkey': { ...checked, amr: ['sso', 'pop', 'mfa'] },
  "email code and app's code": { ...checked, amr: ['otp', 'mfa'], email_key: 'ada@example.com' },
  'email code and passkey': { ...checked, amr: ['otp', 'pop', 'mfa'], email_key: 'ada@example.com' },
  'company that vouches for two': { ...checked, amr: ['sso', 'mfa'] },
  'passkey that verified its user': { ...checked, amr: ['pop', 'user', 'mfa'] },
} satisfies Record<string, Proof>
const all = { ...oneFactor, ...twoFactors }
const withPassword = Object.fromEntries(Object.entries(all).filter(([, { amr }]) => amr.some((one) => one === 'pwd')))
const withCompany = Object.fromEntries(Object.entries(all).filter(([, { amr }]) => amr.some((one) => one === 'sso')))
const withEmailCode = Object.fromEntries(Object.entries(all).filter(([, proof]) => 'email_key' in proof))
const { password, company, emailCode } = oneFactor
const setByLink = { ...password, isSetByLink: true as const }
const setWithCode = { ...twoFactors['password and code'], isSetByLink: true as const }

const refused: Decision = { outcome: 'refused' }
const secondFactor: Decision = { outcome: 'second_factor' }
const session: Decision = { outcome: 'session', trusted: undefined, duty: undefined }
const asTrusted: Decision = { outcome: 'session', trusted: 'browser', duty: undefined }
const withDuty = (duty: 'add_factor' | 'change_password'): Decision => ({ ...session, duty })

type Case = { row: number; proofs: Record<string, Proof>; facts: Partial<Facts>; outcome: Decision }

/** The rows of the table in decide.ts. Everything below a row in the table is true as well, so that the order is tried too. */
const worst = { hasFactor: true, isFactorRequired: true, mustChangePassword: true, trustedBrowser: 'browser' }
const cases: Case[] = [
  { row: 1, proofs: all, facts: { user: undefined }, outcome: refused },
  { row: 1, proofs: all, facts: { user: { ...user, active: 0 } }, outcome: refused },
  { row: 1, proofs: all, facts: { user: { ...user, access_ends_at: timestamp(now) } }, outcome: refused },
  { row: 1, proofs: all, facts: { user: { ...user, kind: 'service' } }, outcome: refused },
  { row: 1, proofs: all, facts: { user: { ...user, organization_id: 'closed' } }, outcome: refused },
  { row: 2, proofs: all, facts: { user: { ...user, password_hash: 'b', credentials_version: 4 } }, outcome: refused },
  { row: 2, proofs: { password }, facts: { user: { ...user, password_hash: 'ours' } }, outcome: session },
  { row: 2, proofs: { password }, facts: { user: { ...user, credentials_version: 4 } }, outcome: session },
  { row: 2, proofs: { company }, facts: { user: { ...user, credentials_version: 4 } }, outcome: refused },
  { row: 3, proofs: withPassword, facts: { ...worst, isPasswordRefused: true }, outcome: refused },
  { row: 3, proofs: withCompany, facts: { isPasswordRefused: true }, outcome: session },
  { row: 4, proofs: withEmailCode, facts: { ...worst, isEmailCodeRefused: true }, outcome: refused },
  { row: 4, proofs: withEmailCode, facts: { user: { ...user, email_key: 'b@example.com' } }, outcome: refused },
  { row: 4, proofs: withEmailCode, facts: { user: { ...user, email_key: null } }, outcome: refused },
  { row: 4, proofs: { password, company }, facts: { isEmailCodeRefused: true }, outcome: session },
  { row: 5, proofs: withCompany, facts: { ...worst, isAccountLost: true }, outcome: refused },
  { row: 6, proofs: twoFactors, facts: { hasFactor: true, isFactorRequired: true }, outcome: session },
  { row: 6, proofs: twoFactors, facts: { hasFactor: true, trustedBrowser: 'browser' }, outcome: session },
  { row: 7, proofs: all, facts: {}, outcome: session },
  { row: 7, proofs: all, facts: { trustedBrowser: 'browser' }, outcome: session },
  { row: 3, proofs: { setByLink, setWithCode }, facts: { ...worst, isPasswordRefused: true }, outcome: refused },
  { row: 6, proofs: { setWithCode }, facts: worst, outcome: withDuty('change_password') },
  { row: 7, proofs: { setByLink, setWithCode }, facts: { trustedBrowser: 'browser' }, outcome: session },
  { row: 8, proofs: { setByLink }, facts: worst, outcome: secondFactor },
  {
    row: 9,
    proofs: { password },
    facts: { hasFactor: true, isFactorRequired: true, trustedBrowser: 'browser' },
    outcome: asTrusted,
  },
  { row: 10, proofs: oneFactor, facts: { ...worst, trustedBrowser: undefined }, outcome: secondFactor },
  {
    row: 10,
    proofs: { company, emailCode },
    facts: { hasFactor: true, trustedBrowser: 'browser' },
    outcome: secondFactor,
  },
  {
    row: 11,
    proofs: oneFactor,
    facts: { isFactorRequired: true, mustChangePassword: true },
    outcome: withDuty('add_factor'),
  },
  {
    row: 12,
    proofs: twoFactors,
    facts: { isFactorRequired: true, mustChangePassword: true },
    outcome: withDuty('change_password'),
  },
  { row: 12, proofs: all, facts: { mustChangePassword: true }, outcome: withDuty('change_password') },
  { row: 12, proofs: { password }, facts: worst, outcome: { ...asTrusted, duty: 'change_password' } },
  { row: 13, proofs: all, facts: {}, outcome: session },
  { row: 13, proofs: all, facts: { user: { ...user, organization_id: 'open' } }, outcome: session },
]

describe('what a proof is worth', () => {
  for (const { row, proofs, facts, outcome } of cases) {
    it(`row ${row}: ${Object.keys(proofs).join(', ')}; ${JSON.stringify(facts)}`, () => {
      for (const [name, proof] of Object.entries(proofs)) {
        assert.deepEqual(decide(proof, { ...plain, ...facts }), outcome, name)
      }
    })
  }

  it('is tried for every row of the table', () => {
    const text = readFileSync(`${import.meta.dirname}/decide.ts`, 'utf8')
    const rows = [...text.matchAll(/^ \* +(\d+) {2}/gm)].map(([, number]) => Number(number))
    assert.deepEqual([...new Set(cases.map(({ row }) => row))], rows)
  })
})
