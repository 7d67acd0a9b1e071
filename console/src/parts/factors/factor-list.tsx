import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Factor } from 'rollbook/client'
import { Instant } from '../../ui/time.tsx'
import styles from './factor.module.css'

type Props = {
  factors: readonly Factor[]
  /** The buttons of a row. */
  actions?: ((factor: Factor) => ReactNode) | undefined
}

export function FactorList({ factors, actions }: Props) {
  const { t } = useLingui()
  const kinds: Record<Factor['kind'], string> = { totp: t`One-time codes`, passkey: t`Passkey` }
  return (
    <ul className={styles.list}>
      {factors.map((factor) => (
        <li key={factor.factor_id}>
          <div className={styles.what}>
            <strong>
              <bdi>{factor.name}</bdi>
            </strong>
            <span className={styles.details}>
              <span>{kinds[factor.kind]}</span>
              <span>
                <Trans>
                  added <Instant value={factor.created_at} />
                </Trans>
              </span>
              <span>
                {factor.last_used_at === null ? (
                  <Trans>never used</Trans>
                ) : (
                  <Trans>
                    last used <Instant value={factor.last_used_at} />
                  </Trans>
                )}
              </span>
            </span>
          </div>
          {actions !== undefined && <Group gap={8}>{actions(factor)}</Group>}
        </li>
      ))}
    </ul>
  )
}

export function WaitingFactors() {
  return (
    <Stack aria-busy="true" gap="md">
      <Skeleton height={52} />
    </Stack>
  )
}
