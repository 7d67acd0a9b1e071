import type { Rules } from '../src/core/rules.ts'

/** Rules for a store that is opened without the application. */
export const plainRules: Rules = {
  roles: { user: [] },
  configuredRoles: { user: [] },
  closedRoles: [],
  rolesOfIssuers: {},
  keyRotationOverlapSeconds: 0,
  sessionSeconds: 0,
  sessionIdleSeconds: 0,
  sendsMail: false,
  inactivity: undefined,
  secondFactor: {},
  configuredSecondFactor: {},
  secondFactorFromMs: 0,
  trustBrowserDays: 0,
  sendsCodes: false,
  disabledOrganizations: new Set(),
  secondFactorOrganizations: new Set(),
}
