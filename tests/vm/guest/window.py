"""A bare window on kmsdrm: says when, on CLOCK_MONOTONIC in seconds, it had shown its first picture."""

import time

import pygame

pygame.display.init()
size = pygame.display.get_desktop_sizes()[0]
window = pygame.display.set_mode(size, pygame.SCALED | pygame.FULLSCREEN, vsync=1)
window.fill((18, 52, 55))
pygame.display.flip()
print(time.monotonic(), pygame.display.get_driver(), flush=True)
