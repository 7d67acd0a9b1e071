import { editDistance } from './edit-distance.ts'

/** Names that other systems use for the same member. The first accepted name wins. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  search: ['q'],
  query: ['q'],
  filter: ['q'],
  text: ['q'],
  term: ['q'],
  keyword: ['q'],
  contains: ['q'],
  id: ['user_id', 'key_id', 'job_id', 'external_id'],
  ids: ['user_id', 'user_ids'],
  uid: ['user_id', 'external_id'],
  uuid: ['user_id', 'external_id'],
  sub: ['user_id'],
  localid: ['external_id'],
  employeeid: ['external_id'],
  user: ['username', 'user_id'],
  login: ['username'],
  loginname: ['username'],
  account: ['username'],
  handle: ['username'],
  nickname: ['username'],
  mail: ['email'],
  emailaddress: ['email'],
  name: ['first_name'],
  fullname: ['first_name'],
  displayname: ['first_name'],
  forename: ['first_name'],
  givenname: ['first_name'],
  given: ['first_name'],
  surname: ['last_name'],
  familyname: ['last_name'],
  family: ['last_name'],
  pass: ['password'],
  pwd: ['password'],
  passwd: ['password'],
  passphrase: ['password'],
  hash: ['password_hash'],
  hashedpassword: ['password_hash'],
  encryptedpassword: ['password_hash'],
  passworddigest: ['password_hash'],
  roles: ['role'],
  group: ['role'],
  groups: ['role'],
  isadmin: ['role'],
  admin: ['role'],
  enabled: ['active'],
  disabled: ['active'],
  blocked: ['active'],
  isactive: ['active'],
  status: ['active'],
  state: ['active'],
  createdat: ['created_at', 'created_after'],
  created: ['created_at', 'created_after'],
  datejoined: ['created_at'],
  lastlogin: ['last_login_at', 'last_login_after'],
  lastsignin: ['last_login_at', 'last_login_after'],
  lastsigninat: ['last_login_at', 'last_login_after'],
  updated: ['updated_at'],
  pagesize: ['limit'],
  perpage: ['limit'],
  size: ['limit'],
  top: ['limit'],
  max: ['limit'],
  maxresults: ['limit'],
  first: ['limit', 'first_name'],
  last: ['last_name'],
  page: ['cursor', 'offset'],
  pagetoken: ['cursor'],
  next: ['cursor'],
  after: ['cursor'],
  skip: ['offset'],
  start: ['offset'],
  startindex: ['offset'],
  order: ['sort'],
  orderby: ['sort'],
  sortby: ['sort'],
  ordering: ['sort'],
  total: ['count'],
  simulate: ['dry_run'],
  preview: ['dry_run'],
  scopes: ['permissions'],
  scope: ['permissions'],
  expires: ['expires_at'],
  expiry: ['expires_at'],
  since: ['created_after', 'after'],
  from: ['created_after'],
  until: ['created_before'],
  to: ['created_before'],
}

/** Returns the accepted name that was most likely meant, if one is close enough. */
export function nearestName(name: string, accepted: readonly string[]): string | undefined {
  if (name.length > 40) return undefined
  const key = plain(name)
  const same = accepted.find((one) => plain(one) === key)
  if (same !== undefined) return same
  const alias = (Object.hasOwn(aliases, key) ? (aliases[key] ?? []) : []).find((one) => accepted.includes(one))
  if (alias !== undefined) return alias
  const near = accepted
    .map((one) => ({ one, away: editDistance(key, plain(one)) }))
    .filter(({ one, away }) => away <= Math.min(2, Math.floor(plain(one).length / 3)))
    .sort((a, b) => a.away - b.away)
  return near[0]?.one
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}
