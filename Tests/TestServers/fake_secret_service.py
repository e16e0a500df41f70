# For Debian's Python with python3-dbus and python3-gi.
import os, sys, dbus, dbus.service, dbus.mainloop.glib
from gi.repository import GLib
behaviour = sys.argv[1]
S, C, I, P = ['org.freedesktop.Secret.' + n for n in ('Service', 'Collection', 'Item', 'Prompt')]
PR, ROOT = 'org.freedesktop.DBus.Properties', '/org/freedesktop/secrets'
HOME, PROMPT = ROOT + '/collection/home', ROOT + '/prompt/p1'
locked, items = behaviour in ('unlocked', 'dismissed', 'unanswered'), {}

class Fault(dbus.DBusException):
    def __init__(self, name, words='no'):
        dbus.DBusException.__init__(self, words)
        self._dbus_error_name = name

def gone(path):
    return behaviour == 'vanishing' and path.endswith('/1')

class Item(dbus.service.Object):
    @dbus.service.method(I, in_signature='o', out_signature='(oayays)')
    def GetSecret(self, session):
        if gone(self.path): raise Fault('org.freedesktop.Secret.Error.NoSuchObject')
        return (session, dbus.ByteArray(b''), dbus.ByteArray(self.secret), 'application/octet-stream')
    @dbus.service.method(I, in_signature='(oayays)', byte_arrays=True)
    def SetSecret(self, secret): self.secret = bytes(secret[2])
    @dbus.service.method(I, out_signature='o')
    def Delete(self):
        del items[self.path]
        self.remove_from_connection()
        return '/'
    @dbus.service.method(PR, in_signature='ss', out_signature='v')
    def Get(self, interface, name):
        return dbus.Dictionary(self.attributes, signature='ss') if name == 'Attributes' else False

class Home(dbus.service.Object):
    @dbus.service.method(C, in_signature='a{sv}(oayays)b', out_signature='oo', byte_arrays=True)
    def CreateItem(self, properties, secret, replace):
        if locked: raise Fault('org.freedesktop.Secret.Error.IsLocked')
        if behaviour == 'dying': os.kill(os.getpid(), 9)
        if behaviour == 'full': raise Fault('org.example.Full', 'no space left on device')
        path = HOME + '/%d' % (len(items) + 1)
        item = items[path] = Item(bus, path)
        item.path, item.secret = path, bytes(secret[2])
        item.attributes = properties[I + '.Attributes']
        return (path, '/')
    @dbus.service.method(PR, in_signature='ss', out_signature='v')
    def Get(self, interface, name): return dbus.Boolean(locked)

class Prompt(dbus.service.Object):
    @dbus.service.method(P, in_signature='s')
    def Prompt(self, window):
        global locked
        if behaviour == 'unanswered': return
        locked = behaviour != 'unlocked'
        GLib.timeout_add(1000, lambda: self.Completed(locked, dbus.Array([], signature='o')))
    @dbus.service.method(P)
    def Dismiss(self): self.Completed(True, '')
    @dbus.service.signal(P, signature='bv')
    def Completed(self, dismissed, result): pass

class Service(dbus.service.Object):
    @dbus.service.method(S, in_signature='sv', out_signature='vo')
    def OpenSession(self, algorithm, value):
        if algorithm != 'plain': raise Fault('org.freedesktop.DBus.Error.NotSupported')
        return ('', dbus.ObjectPath(ROOT + '/session/s1'))
    @dbus.service.method(S, in_signature='s', out_signature='o')
    def ReadAlias(self, name):
        return HOME if name == 'ready' or (name == 'default' and behaviour != 'homeless') else '/'
    @dbus.service.method(S, in_signature='a{ss}', out_signature='aoao')
    def SearchItems(self, wanted):
        found = [p for p, i in items.items()
                 if behaviour == 'careless' or all(i.attributes.get(k) == v for k, v in wanted.items())]
        found, none = dbus.Array(found, signature='o'), dbus.Array([], signature='o')
        return (none, found) if locked else (found, none)
    @dbus.service.method(S, in_signature='ao', out_signature='aoo')
    def Unlock(self, objects):
        if not locked: return (objects, '/')
        return (dbus.Array([], signature='o'), PROMPT)
    @dbus.service.method(PR, in_signature='s', out_signature='a{sv}')
    def GetAll(self, interface):
        return dbus.Dictionary({'Collections': dbus.Array([HOME], signature='o')}, signature='sv')

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
Service(bus, ROOT), Home(bus, HOME), Prompt(bus, PROMPT)
name = dbus.service.BusName('org.freedesktop.secrets', bus)
GLib.MainLoop().run()
