/** The link above a page's heading to the list that the page belongs to. */
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import styles from './back-link.module.css'
import { IconBack } from './icons.tsx'

export const BackLink = createLink(({ children, ...props }: ComponentProps<'a'>) => (
  <a {...props} className={styles.back}>
    <IconBack size={16} />
    {children}
  </a>
))
