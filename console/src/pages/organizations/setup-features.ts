import { useLingui } from '@lingui/react/macro'
import type { OrganizationSetupLink } from 'rollbook/client'
import { can, canEverywhere, ownOrganizationOf, useMe } from '../../api/me.ts'

type Feature = OrganizationSetupLink['features'][number]

/** The features of a setup link in words, and those that the viewer may hand over: what they may do themselves. */
export function useSetupFeatures(): { labels: Record<Feature, string>; mine: Feature[] } {
  const { t } = useLingui()
  const me = useMe()
  const isOfOne = ownOrganizationOf(me) !== undefined
  const mayDomains = canEverywhere(me, 'organizations:write') || (isOfOne && can(me, 'connections:write'))
  return {
    labels: { domains: t`Domains`, connection: t`Company sign-in`, provisioning: t`Provisioning` },
    mine: [
      ...(mayDomains ? (['domains'] as const) : []),
      ...(can(me, 'connections:write') ? (['connection'] as const) : []),
      ...(can(me, 'provisioning:write') ? (['provisioning'] as const) : []),
    ],
  }
}
