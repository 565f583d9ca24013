/*
 * font.c -- letters as strokes, for pictures that are pixels: the names on a contact sheet need no
 * font library.
 *
 * A glyph is a list of polylines, separated by spaces; a point is two characters, x and y, each 0
 * to 9, then a to g for 10 to 16. Capitals reach from y = 0 to the baseline at 12, small letters
 * begin at 4, tails end at 16. A line of one point is a dot.
 */
#include "dataset/sheet/sheet.h"

#include <string.h>

static const char *const glyphs['~' - ' ' + 1] = {
  /* space     */ "",
  /* !         */ "0008 0c",
  /* "         */ "0003 3033",
  /* #         */ "201c 605c 0474 0878",
  /* $         */ "82602002041577888a6c2c0a 404c",
  /* %         */ "900c 0002222000 7a7c9c9a7a",
  /* &         */ "8c141230506264080a2c4c6b87",
  /* '         */ "0003",
  /* (         */ "2003092c",
  /* )         */ "0023290c",
  /* *         */ "3038 0266 6206",
  /* +         */ "333b 0767",
  /* ,         */ "1b1c0e",
  /* -         */ "0757",
  /* .         */ "0c",
  /* /         */ "600c",
  /* 0         */ "20020a2c5c7a725020",
  /* 1         */ "03303c",
  /* 2         */ "02205072740c7c",
  /* 3         */ "0120507274563656787a5c2c0b",
  /* 4         */ "5c500878",
  /* 5         */ "701005345476787a5c2c0b",
  /* 6         */ "614024070a2c5c7a78563608",
  /* 7         */ "00703c",
  /* 8         */ "2002042656787a5c2c0a0826 5674725020",
  /* 9         */ "1c3c5a757250200204265674",
  /* :         */ "05 0c",
  /* ;         */ "15 1b1c0e",
  /* <         */ "63076b",
  /* =         */ "0565 0969",
  /* >         */ "03670b",
  /* ?         */ "02205072744748 4c",
  /* @         */ "7c4c1a0622508295886864 644436384968",
  /* A         */ "0c408c 1979",
  /* B         */ "000c5c7b78775606 005071737456",
  /* C         */ "8260301204081a3c6c8a",
  /* D         */ "000c4c7a8884724000",
  /* E         */ "70000c7c 0656",
  /* F         */ "70000c 0656",
  /* G         */ "8260301204081a3c6c8a8757",
  /* H         */ "000c 808c 0686",
  /* I         */ "000c",
  /* J         */ "505a3c2c0a",
  /* K         */ "000c 7007 358c",
  /* L         */ "000c6c",
  /* M         */ "0c005aa0ac",
  /* N         */ "0c008c80",
  /* O         */ "301204081a3c5c7a8884725030",
  /* P         */ "0c00507173755707",
  /* Q         */ "301204081a3c5c7a8884725030 598c",
  /* R         */ "0c00507173745606 467c",
  /* S         */ "72502002041567787a5c2c0a",
  /* T         */ "0080 404c",
  /* U         */ "00091b3c5c7b8980",
  /* V         */ "004c80",
  /* W         */ "003c619cc0",
  /* X         */ "007c 700c",
  /* Y         */ "004680 464c",
  /* Z         */ "00700c7c",
  /* [         */ "20000c2c",
  /* backslash */ "006c",
  /* ]         */ "00202c0c",
  /* ^         */ "043064",
  /* _         */ "0d7d",
  /* `         */ "0022",
  /* a         */ "747c 765424060a2c5c7a",
  /* b         */ "000c 062454767a5c2c0a",
  /* c         */ "755424060a2c5c7b",
  /* d         */ "707c 765424060a2c5c7a",
  /* e         */ "0878765424060a2c5c7b",
  /* f         */ "5030222c 0454",
  /* g         */ "747e5g2g0f 765424060a2c5c7a",
  /* h         */ "000c 063454767c",
  /* i         */ "040c 01",
  /* j         */ "242e1g0g 21",
  /* k         */ "000c 6409 276c",
  /* l         */ "000c",
  /* m         */ "040c 062444565c 567494a6ac",
  /* n         */ "040c 063454767c",
  /* o         */ "24060a2c5c7a765424",
  /* p         */ "040g 062454767a5c2c0a",
  /* q         */ "747g 765424060a2c5c7a",
  /* r         */ "040c 072444",
  /* s         */ "6544240617586a4c1c0b",
  /* t         */ "202a3c5c 0454",
  /* u         */ "040a2c4c7a 747c",
  /* v         */ "043c64",
  /* w         */ "042c568ca4",
  /* x         */ "046c 640c",
  /* y         */ "043c 641g",
  /* z         */ "04640c6c",
  /* {         */ "20121506181a2c",
  /* |         */ "000e",
  /* }         */ "00121526181a0c",
  /* ~         */ "08264866",
};
static const char unknown[] = "000c8c8000";

enum { BLANK = 5 };

static double number_of(char digit) { return digit >= 'a' ? digit - 'a' + 10 : digit - '0'; }

double crd__sheet_letter(char letter, crd__sheet_stroke_fn draw, void *self) {
  const bool known = letter >= ' ' && letter <= '~';
  const char *at = known ? glyphs[letter - ' '] : unknown;
  double width = letter == ' ' ? BLANK : 0;
  while (*at) {
    const size_t points = strcspn(at, " ") / 2;
    for (size_t i = 0; i < points; i++) {
      const char *const to = at + 2 * i, *const from = i > 0 ? to - 2 : to;
      width = number_of(to[0]) > width ? number_of(to[0]) : width;
      if (draw && (i > 0 || points == 1))
        draw(self, number_of(from[0]), number_of(from[1]), number_of(to[0]), number_of(to[1]));
    }
    at += 2 * points + (at[2 * points] == ' ');
  }
  return width;
}
