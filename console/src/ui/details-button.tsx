import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { Disclosure } from './record-table.tsx'

/** Shows and hides the details below a row of a table. */
export function DetailsButton({ isOpen, toggle, id }: Disclosure) {
  return (
    <Button size="xs" variant="default" aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
      {isOpen ? <Trans>Hide details</Trans> : <Trans>Details</Trans>}
    </Button>
  )
}
