/* absent.h -- how messages about a missing library end: what the user can do about it. */
#ifndef CRD_BASE_ABSENT_H
#define CRD_BASE_ABSENT_H

#ifdef CREDENCE_LEAN
#define CRD__INSTALL(package) ", which a lean build leaves out"
#else
#define CRD__INSTALL(package) ": install " package " and build again"
#endif

#endif
