/** What to do after the installation: a short list, gone when it is done or hidden. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useState } from 'react'
import { placeAndBack } from '../../api/base.ts'
import { ownOrganizationOf, useCan, useCanEverywhere, useMe } from '../../api/me.ts'
import { ownFactorsQuery } from '../../data/factors.ts'
import { keysQuery } from '../../data/keys.ts'
import { mailServerQuery } from '../../data/mails.ts'
import { signInConnectionsQuery } from '../../data/sign-in-connections.ts'
import { IconCheck, IconClose } from '../../ui/icons.tsx'
import { areHidden, hide, type SetupFacts, type SetupStep, stepsOf } from './setup-facts.ts'
import styles from './setup-steps.module.css'

/** Only where there are few users: nothing is asked otherwise. */
export function SetupSteps() {
  const { t } = useLingui()
  const me = useMe()
  const { user_id, act } = me
  // They are steps of the whole service.
  const isOfOne = ownOrganizationOf(me) !== undefined
  const [isHidden, setIsHidden] = useState(() => areHidden(user_id))
  const steps = stepsOf(useFacts({ isOn: !isHidden && act === undefined && !isOfOne }))
  const places: Record<SetupStep, { label: string } & ({ to: NonNullable<LinkProps['to']> } | { href: string })> = {
    mail: { to: '/mails', label: t`Set up email delivery` },
    product: { to: '/keys', label: t`Connect your product with a key` },
    company: { to: '/sign-in-connections', label: t`Let people sign in with their company` },
    second_factor: { href: placeAndBack('add-factor'), label: t`Protect your account with a second factor` },
  }
  if (steps.length === 0 || isOfOne) return null
  return (
    <section className={styles.steps} aria-label={t`Next steps`}>
      <h2>
        <Trans>Next steps</Trans>
      </h2>
      <ol>
        {steps.map(({ step, isDone }) => (
          <li key={step} data-done={isDone || undefined}>
            {isDone ? (
              <>
                <IconCheck size={16} />
                <span className="visually-hidden">
                  <Trans>Done:</Trans>{' '}
                </span>
                {places[step].label}
              </>
            ) : 'to' in places[step] ? (
              <Link to={places[step].to}>{places[step].label}</Link>
            ) : (
              <a href={places[step].href}>{places[step].label}</a>
            )}
          </li>
        ))}
      </ol>
      <button
        type="button"
        aria-label={t`Hide the next steps`}
        title={t`Hide the next steps`}
        onClick={() => {
          hide(user_id)
          setIsHidden(true)
        }}
      >
        <IconClose size={16} />
      </button>
    </section>
  )
}

/** A step is known only to a viewer who may take it. */
function useFacts({ isOn }: { isOn: boolean }): SetupFacts {
  const [mayMail, mayKeys, mayConnect] = [
    useCanEverywhere('mails:read'),
    useCan('keys:write'),
    useCan('connections:write'),
  ]
  const atRest = { staleTime: 60_000, refetchInterval: false, retry: false } as const
  const mail = useQuery({ ...mailServerQuery, ...atRest, enabled: isOn && mayMail })
  const keys = useQuery({ ...keysQuery, ...atRest, enabled: isOn && mayKeys })
  const companies = useQuery({ ...signInConnectionsQuery, ...atRest, enabled: isOn && mayConnect })
  const factors = useQuery({ ...ownFactorsQuery, staleTime: 300_000, enabled: isOn })
  const isKnown = [mail, keys, companies, factors].every(({ fetchStatus }) => fetchStatus === 'idle')
  // All at once, so that the list does not grow while it is read; only administrators set a service up.
  if (!isOn || !isKnown || !(mayMail || mayKeys || mayConnect))
    return { hasMail: undefined, hasKey: undefined, hasCompany: undefined, hasFactor: undefined }
  return {
    hasMail: mail.data?.configured,
    // Not the key of the configuration, nor those of identity providers.
    hasKey: keys.data?.some(({ managed, connection_id }) => !managed && connection_id === undefined),
    hasCompany: companies.data?.some(({ active }) => active),
    hasFactor: factors.data && factors.data.factors.length > 0,
  }
}
